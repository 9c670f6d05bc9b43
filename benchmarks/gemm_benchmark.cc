#include <vector>

#include "gemm/plan.h"
#include "gemm/weights.h"
#include "kernels/kernel_table.h"
#include "peak.h"

namespace linnet {
namespace {

Tensor filled(const Shape& shape) {
  Tensor tensor(DType::kFloat32, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.data<float>()[i] = float(i % 17) / 8 - 1;
  return tensor;
}

/// y[m, n] = a[m, k] * b[k, n] with b packed beforehand.
void gemm(benchmark::State& state) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const GemmKernels<GemmF32>& kernels = kernel_table(Isa::kAuto).gemm_f32;
  const Tensor a = filled({m, k}), b = filled({k, n});
  Tensor y(DType::kFloat32, {m, n});
  GemmWeights<float> weights;
  weights.data = b.data<float>();
  weights.depth = k;
  weights.columns = n;
  weights.depth_stride = n;
  weights.column_stride = 1;
  const MatrixRows<float> rows(a.data<float>(), k);
  GemmSizes sizes;
  sizes.rows = m;
  sizes.columns = n;
  sizes.depth = k;
  sizes.row_scratch_bytes = MatrixRows<float>::scratch_bytes(k, k);
  const GemmPlan<GemmF32> plan(kernels, sizes);
  Tensor packed(DType::kFloat32, {packed_size(plan.panels(), 1, k)});
  pack_weights(weights, plan.panels(), packed.data<float>());
  Tensor scratch(DType::kUint8, {int64_t(plan.scratch_bytes())});
  GemmOperands<GemmF32> operands;
  operands.a = &rows;
  operands.b = packed.data<float>();
  operands.y = y.data<float>();
  operands.y_pitch = n;
  for (auto _ : state) {
    for (int64_t chunk = 0; chunk < plan.chunks(); ++chunk) {
      plan.run_chunk(operands, chunk, static_cast<std::byte*>(scratch.raw()));
    }
  }
  report_flops(state, 2.0 * double(m) * double(n) * double(k));
}

BENCHMARK(gemm)
    ->ArgNames({"m", "n", "k"})
    ->Args({1024, 1024, 1024})
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

}  // namespace
}  // namespace linnet
