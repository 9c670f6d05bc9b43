#include "nn/conv_kernel.h"

#include <algorithm>

#include "kernels/kernel_table.h"
#include "scratch.h"

namespace linnet {
namespace {

constexpr int64_t kChunkFloats = 32 * 1024;

const float* data_or_null(const Tensor& tensor) { return tensor ? tensor.data<float>() : nullptr; }

ConvOperands operands_of(KernelContext& context, bool has_bias, bool has_residual) {
  ConvOperands operands;
  operands.x = context.input(0).data<float>();
  operands.w = context.input(1).data<float>();
  if (has_bias) operands.bias = data_or_null(context.input(2));
  if (has_residual) operands.residual = data_or_null(context.input(3));
  operands.y = context.output(0).data<float>();
  return operands;
}

class ChannelsLastConv final : public Kernel {
 public:
  ChannelsLastConv(ConvChoice choice, bool has_bias, bool has_residual)
      : algorithm_(std::move(choice.algorithm)),
        reason_(std::move(choice.reason)),
        has_bias_(has_bias),
        has_residual_(has_residual) {}

  void run(KernelContext& context) const override {
    algorithm_->run(operands_of(context, has_bias_, has_residual_), context);
  }
  size_t scratch_bytes() const override { return algorithm_->scratch_bytes(); }
  std::string describe() const override { return algorithm_->describe() + "; " + reason_; }

 private:
  ConvAlgorithmPtr algorithm_;
  std::string reason_;
  bool has_bias_, has_residual_;
};

/// Scratch: the algorithm's, then x and y in channels-last order.
class ChannelsFirstConv final : public Kernel {
 public:
  ChannelsFirstConv(ConvChoice choice, const ConvGeometry& geometry, bool has_bias, Isa isa)
      : algorithm_(std::move(choice.algorithm)),
        reason_(std::move(choice.reason)),
        geometry_(geometry),
        has_bias_(has_bias),
        transpose_(kernel_table(isa).transpose),
        x_offset_(aligned(algorithm_->scratch_bytes())) {
    const int64_t x = checked_mul(checked_mul(geometry.batch, geometry.in_channels), geometry.in_pixels());
    const int64_t y = checked_mul(checked_mul(geometry.batch, geometry.out_channels), geometry.out_pixels());
    y_offset_ = x_offset_ + aligned(dtype_bytes(DType::kFloat32, x));
    bytes_ = y_offset_ + dtype_bytes(DType::kFloat32, y);
  }

  void run(KernelContext& context) const override {
    ConvOperands operands = operands_of(context, has_bias_, false);
    float* const y = operands.y;
    auto* x_last = reinterpret_cast<float*>(context.scratch() + x_offset_);
    auto* y_last = reinterpret_cast<float*>(context.scratch() + y_offset_);
    transpose(context.executor(), operands.x, geometry_.in_channels, geometry_.in_pixels(), x_last);
    operands.x = x_last;
    operands.y = y_last;
    algorithm_->run(operands, context);
    transpose(context.executor(), y_last, geometry_.out_pixels(), geometry_.out_channels, y);
  }

  size_t scratch_bytes() const override { return bytes_; }
  std::string describe() const override { return algorithm_->describe() + ", transposing x and y; " + reason_; }

 private:
  /// [batch, rows, columns] to [batch, columns, rows].
  void transpose(Executor& executor, const float* x, int64_t rows, int64_t columns, float* y) const {
    const int64_t step = std::max<int64_t>(16, kChunkFloats / std::max<int64_t>(1, rows));
    const int64_t blocks = (columns + step - 1) / step;
    executor.parallel_for(geometry_.batch * blocks, [&](int64_t chunk, int) {
      const int64_t image = chunk / blocks * rows * columns;
      const int64_t column = chunk % blocks * step;
      transpose_.bits32(x + image + column, rows, std::min(step, columns - column), columns, y + image + column * rows,
                        rows);
    });
  }

  ConvAlgorithmPtr algorithm_;
  std::string reason_;
  ConvGeometry geometry_;
  bool has_bias_;
  TransposeKernels transpose_;
  size_t x_offset_, y_offset_ = 0, bytes_ = 0;
};

}  // namespace

KernelPtr make_conv_kernel(const ConvGeometry& geometry, bool channels_first, const Epilogue& epilogue,
                           const CompileInput& in) {
  ConvChoice choice = choose_conv(geometry, epilogue, in);
  if (channels_first) return std::make_unique<ChannelsFirstConv>(std::move(choice), geometry, in.has(2), in.isa());
  return std::make_unique<ChannelsLastConv>(std::move(choice), in.has(2), in.has(3));
}

KernelPtr make_conv_transpose_kernel(const ConvGeometry& geometry, const CompileInput& in) {
  ConvChoice choice{make_transpose_gemm(geometry, in), "transposed"};
  return std::make_unique<ChannelsFirstConv>(std::move(choice), geometry, in.has(2), in.isa());
}

}  // namespace linnet
