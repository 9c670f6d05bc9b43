#include "conv/conv_kernel.h"

#include "conv/transpose_images.h"
#include "elements/data_or_null.h"
#include "kernels/kernels_for.h"
#include "kernels/transpose.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

// Algorithms do not read packed weights, which may be freed or have another dtype.
template <class T>
ConvOperands<T> operands_of(KernelContext& context, bool packed, bool has_bias, bool has_residual, bool has_slope) {
  ConvOperands<T> operands;
  operands.x = context.input(0).data<T>();
  if (!packed) operands.w = context.input(1).data<T>();
  if (has_bias) operands.bias = data_or_null<T>(context.input(2));
  if (has_residual) operands.residual = data_or_null<T>(context.input(3));
  if (has_slope) operands.slope = context.input(4).data<T>();
  operands.y = context.output(0).data<T>();
  return operands;
}

/// Scratch: the algorithm's, then x and y in channels-last order where they are transposed.
template <class T>
class ConvKernel final : public Kernel {
 public:
  ConvKernel(ConvChoice<T> choice, const ConvGeometry& geometry, const ConvLayout& layout, const CompileInput& in)
      : algorithm_(std::move(choice.algorithm)),
        reason_(std::move(choice.reason)),
        geometry_(geometry),
        has_bias_(in.has(2)),
        has_residual_(in.has(3)),
        has_slope_(in.has(4)),
        transposes_x_(!layout.x_channels_last && !algorithm_->takes_channels_first()),
        transposes_y_(!layout.y_channels_last && !algorithm_->gives_channels_first()),
        packed_(in.constant(1)),
        transpose_(kernels_for<TransposeKernels>(in.isa())),
        x_offset_(aligned(algorithm_->scratch_bytes())) {
    const int64_t x = checked_mul(checked_mul(geometry.batch, geometry.in_channels), geometry.in_pixels());
    const int64_t y = checked_mul(checked_mul(geometry.batch, geometry.out_channels), geometry.out_pixels());
    y_offset_ = x_offset_ + (transposes_x_ ? aligned(dtype_bytes(dtype_of<T>, x)) : 0);
    bytes_ = y_offset_ + (transposes_y_ ? dtype_bytes(dtype_of<T>, y) : 0);
  }

  void run(KernelContext& context) const override {
    ConvOperands<T> operands = operands_of<T>(context, packed_, has_bias_, has_residual_, has_slope_);
    T* const y = operands.y;
    if (transposes_y_) operands.y = reinterpret_cast<T*>(context.scratch() + y_offset_);
    if (transposes_x_) {
      auto* x = reinterpret_cast<T*>(context.scratch() + x_offset_);
      transpose_images(context.executor(), transpose_, operands.x, geometry_.batch, geometry_.in_channels,
                       geometry_.in_pixels(), x);
      operands.x = x;
    }
    algorithm_->run(operands, context);
    if (transposes_y_) {
      transpose_images(context.executor(), transpose_, operands.y, geometry_.batch, geometry_.out_pixels(),
                       geometry_.out_channels, y);
    }
  }

  size_t scratch_bytes() const override { return bytes_; }
  bool reads(int input) const override { return input != 1 || !packed_; }
  int in_place(int) const override {
    return has_residual_ && !transposes_y_ && algorithm_->writes_over_residual() ? 3 : -1;
  }
  std::string describe() const override {
    return str(algorithm_->describe(), transposes_x_ ? ", transposing x" : "", transposes_y_ ? ", transposing y" : "",
               "; ", reason_);
  }

 private:
  ConvAlgorithmPtr<T> algorithm_;
  std::string reason_;
  ConvGeometry geometry_;
  bool has_bias_, has_residual_, has_slope_, transposes_x_, transposes_y_, packed_;
  const TransposeKernels& transpose_;
  size_t x_offset_, y_offset_ = 0, bytes_ = 0;
};

template <class T>
KernelPtr make_transposed(const ConvGeometry& geometry, const CompileInput& in) {
  return std::make_unique<ConvKernel<T>>(ConvChoice<T>{make_transpose_gemm<T>(geometry, in), "transposed"}, geometry,
                                         ConvLayout(), in);
}

}  // namespace

KernelPtr make_conv_kernel(const ConvGeometry& geometry, const ConvLayout& layout, const Epilogue& epilogue,
                           const CompileInput& in) {
  ConvChoice<float> choice = choose_conv(geometry, layout, epilogue, in);
  return std::make_unique<ConvKernel<float>>(std::move(choice), geometry, layout, in);
}

KernelPtr make_conv_f64(const ConvGeometry& geometry, const CompileInput& in) {
  ConvChoice<double> choice{make_gemm_conv<double>(geometry, {}, in), "float64"};
  return std::make_unique<ConvKernel<double>>(std::move(choice), geometry, ConvLayout(), in);
}

KernelPtr make_conv_transpose_kernel(const ConvGeometry& geometry, const CompileInput& in) {
  return in.dtype(0) == DType::kFloat64 ? make_transposed<double>(geometry, in) : make_transposed<float>(geometry, in);
}

}  // namespace linnet
