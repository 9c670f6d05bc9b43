#include "conv/deform_rows.h"
#include "conv/gemm_conv_weights.h"
#include "conv/transpose_images.h"
#include "elements/data_or_null.h"
#include "gemm/product_plan.h"
#include "kernels/deform.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "kernels/transpose.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

/// Scratch: the product's, then channels-last forms of channels-first tensors, then weights packed at run time.
class DeformF32 final : public Kernel {
 public:
  DeformF32(const DeformShape& shape, const Epilogue& epilogue, const CompileInput& in)
      : shape_(shape),
        epilogue_(epilogue),
        gemm_(kernels_for<GemmKernels<GemmF32>>(in.isa())),
        transpose_(kernels_for<TransposeKernels>(in.isa())),
        deform_(kernels_for<DeformKernels>(in.isa())),
        windows_(shape) {
    const ConvGeometry& g = shape_.conv;
    GemmSizes sizes;
    sizes.rows = checked_mul(g.batch, g.out_pixels());
    sizes.columns = g.group_out();
    sizes.taps = g.taps();
    sizes.depth = g.group_in();
    sizes.row_scratch_bytes = windows_.scratch_bytes();
    sizes.costly_rows = true;
    sizes.workers = in.executor().workers();
    plan_ = GemmPlan<GemmF32>(gemm_, sizes);
    weights_ = GemmConvWeights<GemmF32>(g, plan_.panels(), in);
    place_scratch(in);
  }

  void run(KernelContext& context) const override {
    const ConvGeometry& g = shape_.conv;
    DeformField field;
    field.x = channels_last(context, kDeformX, g.in_channels, g.in_pixels(), x_offset_);
    field.offset = channels_last(context, kDeformOffset, shape_.offset_channels(), g.out_pixels(), offset_offset_);
    field.mask = channels_last(context, kDeformMask, shape_.mask_channels(), g.out_pixels(), mask_offset_);
    field.offset_pitch = shape_.offset_channels();
    field.mask_pitch = shape_.mask_channels();
    if (shape_.mask_in_offset) {
      field.mask = field.offset + 2 * shape_.mask_channels();
      field.mask_pitch = field.offset_pitch;
    }
    auto* y = context.output(0).data<float>();
    if (shape_.channels_last) return multiply(context, field, y);
    auto* y_last = reinterpret_cast<float*>(context.scratch() + y_offset_);
    multiply(context, field, y_last);
    transpose_images(context.executor(), transpose_, y_last, g.batch, g.out_pixels(), g.out_channels, y);
  }

  bool reads(int input) const override { return input != kDeformW || !weights_.packed(); }
  size_t scratch_bytes() const override { return w_offset_ + weights_.scratch_bytes(); }

  std::string describe() const override {
    return str("sampled GEMM ", plan_.describe(), shape_.channels_last ? "" : ", transposing x, offset, mask and y");
  }

 private:
  void place_scratch(const CompileInput& in) {
    const ConvGeometry& g = shape_.conv;
    const auto after = [&](size_t offset, bool present, int64_t channels, int64_t pixels) {
      if (shape_.channels_last || !present) return offset;
      return offset + aligned(dtype_bytes(DType::kFloat32, checked_mul(g.batch, checked_mul(channels, pixels))));
    };
    x_offset_ = aligned(plan_.scratch_bytes());
    offset_offset_ = after(x_offset_, true, g.in_channels, g.in_pixels());
    mask_offset_ = after(offset_offset_, true, shape_.offset_channels(), g.out_pixels());
    y_offset_ = after(mask_offset_, in.has(kDeformMask), shape_.mask_channels(), g.out_pixels());
    w_offset_ = after(y_offset_, true, g.out_channels, g.out_pixels());
  }

  /// Returns an input in channels-last order, or null where it is omitted. A channels-first input is transposed to the
  /// scratch.
  const float* channels_last(KernelContext& context, int input, int64_t channels, int64_t pixels, size_t offset) const {
    const float* data = data_or_null<float>(context.input(input));
    if (!data || shape_.channels_last) return data;
    auto* transposed = reinterpret_cast<float*>(context.scratch() + offset);
    transpose_images(context.executor(), transpose_, data, shape_.conv.batch, channels, pixels, transposed);
    return transposed;
  }

  void multiply(KernelContext& context, const DeformField& field, float* y) const {
    const ConvGeometry& g = shape_.conv;
    const float* w =
        weights_.get(context.input(kDeformW).data<float>(), context.scratch() + w_offset_, context.executor());
    Epilogue epilogue = epilogue_;
    epilogue.bias = data_or_null<float>(context.input(kDeformBias));
    epilogue.residual = data_or_null<float>(context.input(kDeformResidual));
    epilogue.residual_pitch = g.out_channels;
    context.executor().parallel_for(g.group * plan_.chunks(), [&](int64_t chunk, int worker) {
      const int64_t group = chunk / plan_.chunks(), column = group * g.group_out();
      const DeformRows rows(windows_, deform_, field, group);
      GemmOperands<GemmF32> product;
      product.a = &rows;
      product.b = w + group * weights_.group_size();
      product.y = y + column;
      product.y_pitch = g.out_channels;
      product.epilogue = epilogue.at(0, column);
      plan_.run_chunk(product, chunk % plan_.chunks(), context.scratch(worker));
    });
  }

  DeformShape shape_;
  Epilogue epilogue_;
  const GemmKernels<GemmF32>& gemm_;
  const TransposeKernels& transpose_;
  const DeformKernels& deform_;
  DeformWindows windows_;
  GemmPlan<GemmF32> plan_;
  GemmConvWeights<GemmF32> weights_;
  size_t x_offset_ = 0, offset_offset_ = 0, mask_offset_ = 0, y_offset_ = 0, w_offset_ = 0;
};

}  // namespace

KernelPtr make_deform_f32(const DeformShape& shape, const Epilogue& epilogue, const CompileInput& in) {
  return std::make_unique<DeformF32>(shape, epilogue, in);
}

}  // namespace linnet
