#include <algorithm>

#include "conv/conv_algorithm.h"
#include "conv/depthwise_row.h"
#include "gemm/half_weights.h"
#include "kernels/depthwise.h"
#include "kernels/kernels_for.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kDepthwiseChunkMultiplies = 64 * 1024;  // least work that is worth a separate chunk
constexpr int64_t kMostChunkRows = 16;

class DepthwiseConv final : public ConvAlgorithm<float> {
 public:
  DepthwiseConv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in)
      : geometry_(geometry),
        rows_(checked_mul(geometry.batch, geometry.axes[0].out * geometry.axes[1].out)),
        epilogue_(epilogue),
        kernels_(kernels_for<DepthwiseKernels>(in.isa())) {
    const int64_t row_multiplies = geometry.axes[2].out * geometry.in_channels * geometry.taps();
    chunk_rows_ = std::max(std::min(kMostChunkRows, ceil_div(rows_, kDepthwiseChunks)),
                           kDepthwiseChunkMultiplies / std::max<int64_t>(1, row_multiplies));
    chunk_rows_ = std::max<int64_t>(2, chunk_rows_ + chunk_rows_ % 2);  // rows are computed in pairs
    if (const Tensor* w = in.constant(1)) packed_ = packed_depthwise_weights(*w, geometry, in);
  }

  void run(const ConvOperands<float>& operands, KernelContext& context) const override {
    const float* w = packed_ ? packed_.data<float>() : pack_in_scratch(operands.w, context);
    context.executor().parallel_for(ceil_div(rows_, chunk_rows_), [&](int64_t chunk, int worker) {
      auto pointers = reinterpret_cast<const float**>(context.scratch(worker));
      const int64_t end = std::min(rows_, (chunk + 1) * chunk_rows_);
      run_rows(operands, w, {chunk * chunk_rows_, end}, pointers);
    });
  }

  size_t scratch_bytes() const override {
    const int64_t floats = packed_ ? 0 : checked_mul(geometry_.taps(), geometry_.in_channels);
    return pointer_bytes() + dtype_bytes(DType::kFloat32, floats);
  }

  std::string describe() const override { return "depthwise"; }

 private:
  size_t pointer_bytes() const { return aligned(size_t(line_pointers(geometry_)) * sizeof(float*)); }

  const float* pack_in_scratch(const float* w, KernelContext& context) const {
    auto* packed = reinterpret_cast<float*>(context.scratch() + pointer_bytes());
    pack_depthwise_weights(w, geometry_.in_channels, geometry_.taps(), packed);
    return packed;
  }

  void run_rows(const ConvOperands<float>& operands, const float* w, const Span& rows, const float** pointers) const {
    const int64_t channels = geometry_.in_channels, pixel = rows.begin * geometry_.axes[2].out;
    DepthwiseRow row = depthwise_row(geometry_.axes[2], channels);
    row.y = operands.y + pixel * channels;
    row.epilogue = operands.bind(epilogue_, channels).at(pixel, 0);
    run_depthwise_lines(kernels_, geometry_, operands.x, w, rows, pointers, row);
  }

  ConvGeometry geometry_;
  int64_t rows_;
  Epilogue epilogue_;
  DepthwiseKernels kernels_;
  int64_t chunk_rows_ = 1;
  Tensor packed_;
};

}  // namespace

Tensor packed_depthwise_weights(const Tensor& w, const ConvGeometry& geometry, const CompileInput& in) {
  return in.packed(w, {"conv depthwise"}, [&] {
    Tensor packed = in.packed_memory(DType::kFloat32, Shape{geometry.taps(), geometry.in_channels});
    pack_depthwise_weights(float_weights(w, in).data<float>(), geometry.in_channels, geometry.taps(),
                           packed.data<float>());
    return packed;
  });
}

ConvF32Ptr make_depthwise_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in) {
  return std::make_unique<DepthwiseConv>(geometry, epilogue, in);
}

}  // namespace linnet
