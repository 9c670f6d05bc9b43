#include <algorithm>

#include "conv/conv_algorithm.h"
#include "conv/depthwise_pointwise.h"
#include "conv/depthwise_row.h"
#include "conv/pointwise_weights.h"
#include "elements/data_or_null.h"
#include "gemm/half_weights.h"
#include "gemm/product_plan.h"
#include "kernels/depthwise.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kGroupBytes = 32 * 1024;  // bytes of depthwise lines; the first-level cache holds most of them
constexpr int64_t kLeastPixels = 48;        // fewest pixels of a group; weights are read again for each group
constexpr int64_t kGroupsPerWorker = 4;

/// Returns the number of groups into which `lines` output lines are divided. A line has `width` pixels of `pitch`
/// floats.
int64_t group_count(int64_t lines, int64_t width, int64_t pitch, int workers) {
  const auto groups_of = [&](int64_t size) { return ceil_div(lines, std::max<int64_t>(1, size)); };
  const int64_t line_bytes = std::max<int64_t>(1, checked_mul(checked_mul(width, pitch), int64_t{sizeof(float)}));
  const int64_t most = groups_of(ceil_div(kLeastPixels, std::max<int64_t>(1, width)));
  const int64_t wanted = std::max(groups_of(kGroupBytes / line_bytes), checked_mul(kGroupsPerWorker, workers));
  return std::max(std::min(wanted, most), std::min<int64_t>(lines, workers));
}

/// A chunk is a group of output lines. The depthwise convolution writes a group's lines to scratch, where the product
/// reads them as its rows.
template <class Type>
class DepthwisePointwise final : public Kernel {
  using B = typename Type::B;

 public:
  DepthwisePointwise(const ConvGeometry& geometry, int64_t out_channels, const Epilogue& inner, const Epilogue& outer,
                     const CompileInput& in)
      : geometry_(geometry),
        out_channels_(out_channels),
        has_residual_(in.has(5)),
        pitch_(row_copy_pitch<float>(geometry.in_channels)),
        inner_(inner),
        outer_(outer),
        depthwise_(kernels_for<DepthwiseKernels>(in.isa())),
        lines_{0, checked_mul(geometry.batch, checked_mul(geometry.axes[0].out, geometry.axes[1].out))},
        groups_(group_count(lines_.size(), geometry.axes[2].out, pitch_, in.executor().workers())),
        taps_(packed_depthwise_weights(*in.constant(1), geometry, in)) {
    const int64_t fewest = groups_ > 0 ? lines_.size() / groups_ : 0;
    for (int64_t i = 0; i < 2; ++i) plans_[i] = plan_of(fewest + i, in);
    pointwise_ = packed_pointwise_weights<B>(*in.constant(2), plans_[0].panels(), in);
    rows_offset_ = aligned(dtype_bytes(DType::kInt64, line_pointers(geometry)));
    plan_offset_ = rows_offset_ + aligned(dtype_bytes(DType::kFloat32, checked_mul(group_pixels(fewest + 1), pitch_)));
  }

  void run(KernelContext& context) const override {
    context.executor().parallel_for(groups_, [&](int64_t group, int worker) {
      const Span lines = lines_.part(groups_, group);
      std::byte* const scratch = context.scratch(worker);
      run_depthwise(context, lines, scratch);
      run_pointwise(context, lines, scratch);
    });
  }

  size_t scratch_bytes() const override {
    return plan_offset_ + std::max(plans_[0].scratch_bytes(), plans_[1].scratch_bytes());
  }
  bool reads(int input) const override { return input != 1 && input != 2; }
  int in_place(int) const override { return has_residual_ ? 5 : -1; }
  std::string describe() const override {
    return str("depthwise and GEMM ", plans_[0].describe(), ", ", groups_, " groups of lines", weights_text<B>());
  }

 private:
  int64_t group_pixels(int64_t lines) const { return checked_mul(lines, geometry_.axes[2].out); }

  GemmPlan<Type> plan_of(int64_t lines, const CompileInput& in) const {
    GemmSizes sizes;
    sizes.rows = group_pixels(lines);
    sizes.columns = out_channels_;
    sizes.depth = geometry_.in_channels;
    sizes.row_scratch_bytes = MatrixRows<float>::scratch_bytes(geometry_.in_channels, pitch_);
    return {kernels_for<GemmKernels<Type>>(in.isa()), sizes};
  }

  float* rows_in(std::byte* scratch) const { return reinterpret_cast<float*>(scratch + rows_offset_); }

  void run_depthwise(KernelContext& context, const Span& lines, std::byte* scratch) const {
    DepthwiseRow row = depthwise_row(geometry_.axes[2], geometry_.in_channels);
    row.y = rows_in(scratch);
    row.y_pitch = pitch_;
    row.epilogue = inner_;
    row.epilogue.bias = data_or_null<float>(context.input(3));
    run_depthwise_lines(depthwise_, geometry_, context.input(0).data<float>(), taps_.data<float>(), lines,
                        reinterpret_cast<const float**>(scratch), row);
  }

  void run_pointwise(KernelContext& context, const Span& lines, std::byte* scratch) const {
    const int64_t pixel = lines.begin * geometry_.axes[2].out;
    const MatrixRows<float> rows(rows_in(scratch), pitch_);
    GemmOperands<Type> product;
    product.a = &rows;
    product.b = pointwise_.data<B>();
    product.y = context.output(0).data<float>() + pixel * out_channels_;
    product.y_pitch = out_channels_;
    product.epilogue = outer_;
    product.epilogue.bias = data_or_null<float>(context.input(4));
    product.epilogue.residual = data_or_null<float>(context.input(5));
    product.epilogue.residual_pitch = out_channels_;
    product.epilogue = product.epilogue.at(pixel, 0);
    const GemmPlan<Type>& plan = plans_[lines.size() - lines_.size() / groups_];
    for (int64_t chunk = 0; chunk < plan.chunks(); ++chunk) plan.run_chunk(product, chunk, scratch + plan_offset_);
  }

  ConvGeometry geometry_;
  int64_t out_channels_;
  bool has_residual_;
  int64_t pitch_;
  Epilogue inner_, outer_;
  DepthwiseKernels depthwise_;
  Span lines_;
  int64_t groups_;
  GemmPlan<Type> plans_[2];  // for groups of fewer lines, and of one more
  Tensor taps_, pointwise_;
  size_t rows_offset_ = 0, plan_offset_ = 0;
};

}  // namespace

KernelPtr make_depthwise_pointwise(const ConvGeometry& geometry, int64_t out_channels, const Epilogue& inner,
                                   const Epilogue& outer, const CompileInput& in) {
  return with_weights_of(in, 2, [&]<class Type>() -> KernelPtr {
    return std::make_unique<DepthwisePointwise<Type>>(geometry, out_channels, inner, outer, in);
  });
}

}  // namespace linnet
