#include <memory>

#include "graph/graph.h"
#include "linnet/model.h"
#include "peak.h"
#include "registration.h"
#include "run/model_graph.h"

namespace linnet {
namespace {

Tensor filled(const Shape& shape) {
  Tensor tensor(DType::kFloat32, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.data<float>()[i] = float(i % 17) / 8 - 1;
  return tensor;
}

/// Measures a square convolution on channels-last data. The padding preserves the extent at stride 1.
void conv(benchmark::State& state) {
  const int64_t in_channels = state.range(0), extent = state.range(1), kernel = state.range(2);
  const int64_t out_channels = state.range(3), stride = state.range(4), group = state.range(5);
  const Tensor x = filled({1, extent, extent, in_channels});
  Graph graph(std::make_shared<Registry>(standard_registry()));
  const ValueId input = graph.add_input("x", Fact(DType::kFloat32, x.shape()));
  const ValueId w = graph.add_constant("w", filled({out_channels, in_channels / group, kernel, kernel}));
  NodeSpec spec;
  spec.op_type = "Conv";
  spec.domain = kInternalDomain;
  spec.attributes = {{"strides", std::vector<int64_t>(2, stride)},
                     {"pads", std::vector<int64_t>(4, kernel / 2)},
                     {"group", group},
                     {"activation", std::string("Relu")}};
  const NodeId node = graph.add_node(spec, {input, w}, {"y"});
  graph.add_output("y", graph.node(node).outputs[0]);
  ModelOptions options;
  options.winograd_tile = int(state.range(6));
  Context context(make_model(std::move(graph), options),
                  {.executor = make_serial_executor(), .observer = nullptr, .limits = {}});
  const Shape y = context.run(std::span(&x, 1))[0].shape();
  for (auto _ : state) context.run(std::span(&x, 1));
  report_operations<GemmF32>(state, 2.0 * double(y.elements()) * double(in_channels / group * kernel * kernel));
}

BENCHMARK(conv)
    ->ArgNames({"c", "hw", "k", "o", "stride", "group", "winograd"})
    ->Args({64, 56, 3, 64, 1, 1, 0})
    ->Args({128, 28, 3, 128, 1, 1, 0})
    ->Args({256, 14, 3, 256, 1, 1, 0})
    ->Args({512, 7, 3, 512, 1, 1, 0})
    ->Args({64, 56, 3, 64, 1, 1, 4})
    ->Args({128, 28, 3, 128, 1, 1, 4})
    ->Args({256, 14, 3, 256, 1, 1, 4})
    ->Args({512, 7, 3, 512, 1, 1, 4})
    ->Args({64, 56, 1, 256, 1, 1, 0})
    ->Args({256, 56, 1, 64, 1, 1, 0})
    ->Args({512, 28, 1, 128, 1, 1, 0})
    ->Args({1024, 14, 1, 256, 1, 1, 0})
    ->Args({2048, 7, 1, 512, 1, 1, 0})
    ->Args({256, 56, 1, 512, 2, 1, 0})
    ->Args({3, 224, 7, 64, 2, 1, 0})
    ->Args({3, 224, 3, 32, 2, 1, 0})
    ->Args({3, 224, 3, 64, 1, 1, 0})
    ->Args({3, 224, 3, 64, 1, 1, 4})
    ->Args({24, 56, 1, 144, 1, 1, 0})
    ->Args({48, 56, 3, 48, 1, 6, 0})
    ->Args({256, 14, 3, 256, 1, 32, 0})
    ->Args({32, 112, 3, 32, 1, 32, 0})
    ->Args({96, 56, 5, 96, 2, 96, 0});

}  // namespace
}  // namespace linnet
