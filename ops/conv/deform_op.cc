#include "conv/deform_op.h"

#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

bool known(const Dim& a, const Dim& b) { return a.known() && b.known(); }

bool is_internal(const NodeSpec& node) { return node.domain == kInternalDomain; }

}  // namespace

DeformOp::DeformOp(const NodeSpec& node, bool derive_groups)
    : conv_(node),
      offset_group_(node.attr_or("offset_group", 1)),
      layout_{is_internal(node), is_internal(node)},
      mask_in_offset_(is_internal(node) && node.attr_or("mask_in_offset", int64_t{0}) != 0),
      activation_(node),
      derive_group_(derive_groups && !node.has("group")),
      derive_offset_group_(derive_groups && !node.has("offset_group")) {
  if (offset_group_ < 1) {
    throw Error(ErrorKind::kModel, str("offset_group must be at least 1, got ", offset_group_));
  }
}

DeformOp::Groups DeformOp::groups(const Fact& x, const Fact& w, const Fact& offset) const {
  Groups result{conv_, offset_group_};
  const Dim& channels = x.dim(channel_axis());
  const bool derivable = derive_group_ && known(channels, w.dim(1)) && w.dim(1).value() > 0;
  if (derivable) result.conv.group = std::max<int64_t>(1, channels.value() / w.dim(1).value());
  if (!derive_offset_group_ || !offset.has_rank() || offset.rank() != 4) return result;
  if (!offset.dim(channel_axis()).known() || !known(w.dim(2), w.dim(3))) return result;
  const int64_t values = checked_mul(field_values(), checked_mul(w.dim(2).value(), w.dim(3).value()));
  if (values > 0) result.offset_group = std::max<int64_t>(1, offset.dim(channel_axis()).value() / values);
  return result;
}

void DeformOp::check_types(std::span<const Fact> in) const {
  if (layout_.x_channels_last) {
    require_dtype(in[kDeformX], DType::kFloat32, "input X");
  } else {
    require_floating(in[kDeformX], "input X");
  }
  for (size_t i = 1; i < in.size(); ++i) {
    if (in[i].present()) require_same_dtype(in[kDeformX], in[i], str("inputs 0 and ", i));
  }
  if (mask_in_offset_ && has_input(in, kDeformMask)) {
    throw Error(ErrorKind::kModel, "there must be no mask where mask_in_offset is set");
  }
}

void DeformOp::check_field(const Fact& field, int64_t channels, const char* what, const Fact& y) const {
  require_rank(field, 4, what);
  if (!field.has_rank()) return;
  merge_dim(field.dim(0), y.dim(0), str("the batch of ", what, " and X"));
  merge_dim(field.dim(channel_axis()), channels,
            str("the channels of ", what, " and those that W and offset_group ask for"));
  for (int i = 0; i < 2; ++i) {
    const int axis = layout_.x_spatial_axis(i);
    merge_dim(field.dim(axis), y.dim(axis), str("dim ", axis, " of ", what, " and of the output"));
  }
}

std::vector<Fact> DeformOp::infer(std::span<const Fact> in) const {
  require_inputs(in, 3, layout_.y_channels_last ? 6 : 5);
  check_types(in);
  const Fact &x = in[kDeformX], &w = in[kDeformW], &offset = in[kDeformOffset];
  require_rank(x, 4, "input X");
  require_rank(w, 4, "input W");
  if (!x.has_rank() || !w.has_rank()) return {Fact(x.dtype, Dims(4))};
  const auto [conv, offset_group] = groups(x, w, offset);
  check_conv(conv, layout_, x, w);
  if (x.dim(channel_axis()).known() && x.dim(channel_axis()).value() % offset_group != 0) {
    throw Error(ErrorKind::kShape,
                str("the channels of X must be a multiple of offset_group ", offset_group, ", got ", x));
  }
  const Fact y(x.dtype, conv_output_dims(conv, layout_, x, w));
  if (known(w.dim(2), w.dim(3))) {
    const int64_t channels = checked_mul(offset_group, checked_mul(w.dim(2).value(), w.dim(3).value()));
    check_field(offset, checked_mul(field_values(), channels), "offset", y);
    if (has_input(in, kDeformMask)) check_field(in[kDeformMask], channels, "mask", y);
  }
  if (has_input(in, kDeformBias)) {
    require_rank(in[kDeformBias], 1, "input B");
    if (in[kDeformBias].has_rank()) {
      merge_dim(w.dim(0), in[kDeformBias].dim(0), "the output channels of W and the length of B");
    }
  }
  if (has_input(in, kDeformResidual) && !compatible(y, in[kDeformResidual])) {
    throw Error(ErrorKind::kShape, str("the residual must be ", y, ", got ", in[kDeformResidual]));
  }
  return {y};
}

int64_t DeformOp::multiply_adds(const NodeValues& v) const { return conv_multiply_adds(v.out(0), v.in(kDeformW)); }

KernelPtr DeformOp::compile(const CompileInput& in) const {
  const auto [conv, offset_group] = groups(in.fact(kDeformX), in.fact(kDeformW), in.fact(kDeformOffset));
  DeformShape shape;
  shape.conv = conv_geometry(conv, layout_, in.shape(kDeformX), in.shape(kDeformW));
  shape.offset_group = offset_group;
  shape.channels_last = layout_.x_channels_last;
  shape.mask_in_offset = mask_in_offset_;
  if (in.dtype(0) == DType::kFloat64) return make_deform_f64(shape, in);
  return make_deform_f32(shape, activation_.epilogue(in.isa()), in);
}

}  // namespace linnet
