#include "gemm/product_plan.h"
#include "gemm/weights.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "peak.h"

namespace linnet {
namespace {

template <class T>
Tensor filled(int64_t values) {
  Tensor tensor(dtype_of<T>, {values});
  for (int64_t i = 0; i < values; ++i) tensor.data<T>()[i] = T(i % 17);
  return tensor;
}

/// Measures y[m, n] = a[m, k] * b[k, n] with b packed beforehand.
template <class Type>
void gemm(benchmark::State& state) {
  using A = typename Type::A;
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const GemmKernels<Type>& kernels = kernels_for<GemmKernels<Type>>(Isa::kAuto);
  if (!kernels.strip) return state.SkipWithError("the instruction set has no such products");
  GemmSizes sizes{.rows = m, .columns = n, .depth = k};
  sizes.row_scratch_bytes = MatrixRows<A>::scratch_bytes(k, k);
  const GemmPlan<Type> plan(kernels, sizes);
  const Tensor a = filled<A>(m * k);
  const Tensor packed = filled<typename Type::B>(packed_size(plan.panels(), 1, k, Type::kUnit));
  Tensor y(dtype_of<typename Type::Y>, {m, n}), scratch(DType::kUint8, {int64_t(plan.scratch_bytes())});
  const MatrixRows<A> rows(a.data<A>(), k);
  const GemmOperands<Type> operands{
      .a = &rows, .b = packed.data<typename Type::B>(), .y = y.data<typename Type::Y>(), .y_pitch = n};
  for (auto _ : state) {
    for (int64_t chunk = 0; chunk < plan.chunks(); ++chunk) {
      plan.run_chunk(operands, chunk, static_cast<std::byte*>(scratch.raw()));
    }
  }
  report_operations<Type>(state, 2.0 * double(m) * double(n) * double(k));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"m", "n", "k"})
      ->Args({1024, 1024, 1024})
      ->Args({1500, 384, 384})
      ->Args({197, 768, 768})
      ->Args({128, 768, 768})
      ->Args({128, 3072, 768})
      ->Args({128, 768, 3072})
      ->Args({3136, 64, 256})
      ->Args({12544, 16, 32})
      ->Args({3136, 24, 72})
      ->Args({784, 40, 240})
      ->Args({196, 80, 480})
      ->Args({196, 112, 672})
      ->Args({49, 192, 1152})
      ->Args({3136, 96, 16})
      ->Args({16, 1024, 1024})
      ->Args({4, 1024, 1024})
      ->Args({1, 1024, 1024})
      ->Args({1, 512, 128});
}

BENCHMARK(gemm<GemmF32>)->Apply(sizes);
BENCHMARK(gemm<GemmU8>)->Apply(sizes);

}  // namespace
}  // namespace linnet
