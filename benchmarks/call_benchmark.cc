#include <benchmark/benchmark.h>

#include "graph/graph.h"
#include "run/model_graph.h"

namespace linnet {
namespace {

Model identity() {
  Graph graph(std::make_shared<Registry>(standard_registry()));
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, Shape{1, 3}));
  NodeSpec spec;
  spec.op_type = "Identity";
  spec.opset = 21;
  graph.add_output("y", graph.node(graph.add_node(spec, {x}, {"y"})).outputs[0]);
  return make_model(std::move(graph), {});
}

/// Measures the cost of a run in addition to the model's work: Identity of float32 [1,3].
void call(benchmark::State& state) {
  Context context(identity());
  const std::vector<Tensor> inputs{Tensor::of(Shape{1, 3}, std::vector<float>{1, 2, 3})};
  for (auto _ : state) benchmark::DoNotOptimize(context.run(inputs).data());
}
BENCHMARK(call);

}  // namespace
}  // namespace linnet
