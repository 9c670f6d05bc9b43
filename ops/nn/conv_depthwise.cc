#include <algorithm>

#include "kernels/depthwise.h"
#include "kernels/kernel_table.h"
#include "nn/conv_algorithm.h"

namespace linnet {
namespace {

constexpr int64_t kChunkMultiplies = 64 * 1024;  // the least work that is worth a chunk of its own
// Adjacent rows share input rows: they are one chunk as long as there is enough to divide.
constexpr int64_t kChunks = 8, kMostChunkRows = 16;

DepthwiseShape depthwise_shape(const ConvGeometry& geometry) {
  DepthwiseShape shape;
  shape.batch = geometry.batch;
  shape.channels = geometry.in_channels;
  for (size_t i = 0; i < geometry.axes.size(); ++i) {
    const ConvAxis& axis = geometry.axes[i];
    shape.in[i] = axis.in;
    shape.out[i] = axis.out;
    shape.kernel[i] = axis.kernel;
    shape.stride[i] = axis.stride;
    shape.dilation[i] = axis.dilation;
    shape.pad_begin[i] = axis.pad_begin;
  }
  return shape;
}

class DepthwiseConv final : public ConvAlgorithm {
 public:
  DepthwiseConv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in)
      : shape_(depthwise_shape(geometry)),
        taps_(geometry.taps()),
        epilogue_(epilogue),
        kernels_(kernel_table(in.isa()).depthwise) {
    const int64_t row_multiplies = shape_.out[2] * shape_.channels * taps_;
    chunk_rows_ = std::max(std::min(kMostChunkRows, (shape_.rows() + kChunks - 1) / kChunks),
                           kChunkMultiplies / std::max<int64_t>(1, row_multiplies));
    chunk_rows_ = std::max<int64_t>(1, chunk_rows_);
    if (const Tensor* w = in.constant(1)) {
      packed_ = in.packed(*w, "depthwise", [&] {
        Tensor packed = in.packed_memory(DType::kFloat32, Shape{taps_, shape_.channels});
        pack_depthwise_weights(w->data<float>(), shape_.channels, taps_, packed.data<float>());
        return packed;
      });
    }
  }

  void run(const ConvOperands& operands, KernelContext& context) const override {
    const float* w = packed_ ? packed_.data<float>() : pack_in_scratch(operands.w, context);
    Epilogue epilogue = epilogue_;
    epilogue.bias = operands.bias;
    epilogue.residual = operands.residual;
    epilogue.residual_pitch = shape_.channels;
    const int64_t rows = shape_.rows();
    context.executor().parallel_for((rows + chunk_rows_ - 1) / chunk_rows_, [&](int64_t chunk, int) {
      const int64_t first = chunk * chunk_rows_;
      kernels_.rows_f32(shape_, operands.x, w, epilogue, operands.y, first, std::min(rows, first + chunk_rows_));
    });
  }

  size_t scratch_bytes() const override {
    return packed_ ? 0 : dtype_bytes(DType::kFloat32, checked_mul(taps_, shape_.channels));
  }

  std::string describe() const override { return "depthwise"; }

 private:
  const float* pack_in_scratch(const float* w, KernelContext& context) const {
    auto* packed = reinterpret_cast<float*>(context.scratch());
    pack_depthwise_weights(w, shape_.channels, taps_, packed);
    return packed;
  }

  DepthwiseShape shape_;
  int64_t taps_;
  Epilogue epilogue_;
  DepthwiseKernels kernels_;
  int64_t chunk_rows_ = 1;
  Tensor packed_;
};

}  // namespace

ConvAlgorithmPtr make_depthwise_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in) {
  return std::make_unique<DepthwiseConv>(geometry, epilogue, in);
}

}  // namespace linnet
