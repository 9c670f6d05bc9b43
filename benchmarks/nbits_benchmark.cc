#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "graph/graph.h"
#include "linnet/model.h"
#include "registration.h"
#include "run/model_graph.h"

namespace linnet {
namespace {

using Clock = std::chrono::steady_clock;
typedef uint64_t Line __attribute__((vector_size(64)));

/// Returns the bytes per second at which one thread reads memory that exceeds the caches.
double read_bandwidth() {
  static const double best = [] {
    const std::vector<Line> memory((size_t{400} << 20) / sizeof(Line), Line{1});
    double most = 0;
    for (int round = 0; round < 5; ++round) {
      const auto begin = Clock::now();
      Line sum{};
      for (const Line& line : memory) {
        __builtin_prefetch(&line + 32);
        sum += line;
      }
      benchmark::DoNotOptimize(sum);
      const std::chrono::duration<double> time = Clock::now() - begin;
      most = std::max(most, double(memory.size() * sizeof(Line)) / time.count());
    }
    return most;
  }();
  return best;
}

Tensor patterned(DType dtype, const Shape& shape) {
  Tensor tensor(dtype, shape);
  auto* bytes = static_cast<uint8_t*>(tensor.raw());
  for (size_t i = 0; i < tensor.bytes(); ++i) bytes[i] = uint8_t(i * 151 % 253);
  return tensor;
}

Tensor floats(const Shape& shape, float step) {
  Tensor tensor(DType::kFloat32, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.data<float>()[i] = float(i % 17 + 1) * step;
  return tensor;
}

/// Measures MatMulNBits of m rows at an accuracy level, with scales that float16 can represent, or not.
void matmul_nbits(benchmark::State& state) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2), bits = state.range(3),
                block = state.range(4), level = state.range(5), blocks = k / block;
  Graph graph(std::make_shared<Registry>(standard_registry()));
  const Tensor a = floats({m, k}, 0.125f), scales = floats({n, blocks}, state.range(6) ? 0x1p-8f : 0.003f);
  const ValueId input = graph.add_input("a", Fact(DType::kFloat32, a.shape()));
  const ValueId b = graph.add_constant("b", patterned(DType::kUint8, {n, blocks, block * bits / 8}));
  NodeSpec spec;
  spec.op_type = "MatMulNBits";
  spec.domain = kMicrosoft;
  spec.attributes = {{"K", k}, {"N", n}, {"bits", bits}, {"block_size", block}, {"accuracy_level", level}};
  const NodeId node = graph.add_node(spec, {input, b, graph.add_constant("scales", scales)}, {"y"});
  graph.add_output("y", graph.node(node).outputs[0]);
  Context context(make_model(std::move(graph), {}),
                  {.executor = make_serial_executor(), .observer = nullptr, .limits = {}});
  context.run(std::span(&a, 1));
  for (auto _ : state) context.run(std::span(&a, 1));
  const auto rate = benchmark::Counter::kIsIterationInvariantRate;
  const double bytes = double(context.memory().packed_bytes);
  state.counters["operations"] = benchmark::Counter(2.0 * double(m) * double(n) * double(k), rate);
  state.counters["bytes"] = benchmark::Counter(bytes, rate);
  if (m == 1) state.counters["of_bandwidth"] = benchmark::Counter(bytes / read_bandwidth(), rate);
}

BENCHMARK(matmul_nbits)
    ->ArgNames({"m", "n", "k", "bits", "block", "level", "half"})
    ->Unit(benchmark::kMillisecond)
    ->Args({1, 80000, 8192, 4, 32, 4, 0})
    ->Args({1, 88000, 8192, 4, 32, 4, 1})
    ->Args({1, 96000, 8192, 4, 128, 4, 1})
    ->Args({1, 80000, 8192, 4, 32, 0, 0})
    ->Args({1, 4096, 4096, 4, 32, 4, 0})
    ->Args({16, 4096, 4096, 4, 32, 4, 0})
    ->Args({128, 4096, 4096, 4, 32, 4, 0})
    ->Args({128, 4096, 4096, 4, 128, 4, 0})
    ->Args({128, 4096, 4096, 8, 32, 4, 0})
    ->Args({128, 4096, 4096, 4, 32, 0, 0});

}  // namespace
}  // namespace linnet
