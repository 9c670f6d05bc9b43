#include <algorithm>
#include <numeric>

#include "conv/pointwise_conv.h"
#include "conv/pointwise_weights.h"
#include "elements/data_or_null.h"
#include "gemm/concat_rows.h"
#include "gemm/half_weights.h"
#include "gemm/product_plan.h"

namespace linnet {

int64_t PointwiseShape::depth() const { return std::accumulate(channels.begin(), channels.end(), int64_t{0}); }

namespace {

template <class Type>
class PointwiseConvKernel final : public Kernel {
  using B = typename Type::B;

 public:
  PointwiseConvKernel(const PointwiseShape& shape, const Epilogue& epilogue, const CompileInput& in)
      : shape_(shape),
        depth_(shape.depth()),
        epilogue_(epilogue),
        normalize_(kernels_for<NormalizeKernels>(in.isa())),
        has_residual_(in.has(kResidual)),
        as_taps_(!in.has(kScale) &&
                 std::equal(shape.channels.begin() + 1, shape.channels.end(), shape.channels.begin())),
        scale_per_image_(in.has(kScale) && in.rank(kScale) > 1) {
    GemmSizes sizes;
    sizes.rows = checked_mul(shape.images, shape.image_pixels);
    sizes.columns = shape.out_channels;
    sizes.taps = as_taps_ ? int64_t(shape.channels.size()) : 1;
    sizes.depth = depth_ / sizes.taps;
    if (!as_taps_) sizes.row_scratch_bytes = ConcatRows::scratch_bytes(depth_);
    sizes.workers = in.executor().workers();
    plan_ = GemmPlan<Type>(kernels_for<GemmKernels<Type>>(in.isa()), sizes);
    packed_ = packed_pointwise_weights<B>(*in.constant(kW), plan_.panels(), in);
  }

  void run(KernelContext& context) const override {
    GemmOperands<Type> product;
    product.b = packed_.data<B>();
    product.y = context.output(0).data<float>();
    product.y_pitch = shape_.out_channels;
    product.epilogue = epilogue_;
    product.epilogue.bias = data_or_null<float>(context.input(kBias));
    product.epilogue.residual = data_or_null<float>(context.input(kResidual));
    product.epilogue.residual_pitch = shape_.out_channels;
    const TensorTaps taps(context, kX, shape_.channels[0]);
    const ConcatRows concatenated(context, kX, shape_.channels, shape_.image_pixels, scaling(context), normalize_);
    product.a = as_taps_ ? static_cast<const RowSource<float>*>(&taps) : &concatenated;
    plan_.run(product, context);
  }

  size_t scratch_bytes() const override { return plan_.scratch_bytes(); }
  bool reads(int input) const override { return input != kW; }
  int in_place(int) const override { return has_residual_ ? kResidual : -1; }
  std::string describe() const override {
    return str("GEMM ", plan_.describe(), " of ", shape_.channels.size(),
               shape_.channels.size() == 1 ? " input" : " inputs", weights_text<B>());
  }

 private:
  PixelScaling scaling(const KernelContext& context) const {
    PixelScaling result;
    result.scale = data_or_null<float>(context.input(kScale));
    result.image_pitch = scale_per_image_ ? depth_ : 0;
    result.shift = data_or_null<float>(context.input(kShift));
    if (shape_.relu) result.low = 0;
    return result;
  }

  PointwiseShape shape_;
  int64_t depth_;
  Epilogue epilogue_;
  const NormalizeKernels& normalize_;
  bool has_residual_, as_taps_, scale_per_image_;
  GemmPlan<Type> plan_;
  Tensor packed_;
};

}  // namespace

KernelPtr make_pointwise_conv(const PointwiseShape& shape, const Epilogue& epilogue, const CompileInput& in) {
  return with_weights_of(in, kW, [&]<class Type>() -> KernelPtr {
    return std::make_unique<PointwiseConvKernel<Type>>(shape, epilogue, in);
  });
}

}  // namespace linnet
