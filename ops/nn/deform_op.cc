#include "nn/deform_op.h"

#include "half_precision.h"
#include "infer.h"

namespace linnet {
namespace {

void check_field(const Fact& field, int64_t channels, const char* what, const Fact& y) {
  require_rank(field, 4, what);
  if (!field.has_rank()) return;
  merge_dim(field.dim(0), y.dim(0), str("the batch of ", what, " and X"));
  merge_dim(field.dim(1), channels, str("the channels of ", what, " and those that W and offset_group ask for"));
  for (int d = 2; d < 4; ++d) merge_dim(field.dim(d), y.dim(d), str("dim ", d, " of ", what, " and of the output"));
}

bool known(const Dim& a, const Dim& b) { return a.known() && b.known(); }

}  // namespace

DeformOp::DeformOp(const NodeSpec& node, bool derive_groups)
    : attributes_{ConvAttributes(node), node.attr_or("offset_group", 1)},
      derive_group_(derive_groups && !node.has("group")),
      derive_offset_group_(derive_groups && !node.has("offset_group")) {
  if (attributes_.offset_group < 1) {
    throw Error(ErrorKind::kModel, str("offset_group must be at least 1, got ", attributes_.offset_group));
  }
}

DeformAttributes DeformOp::attributes(const Fact& x, const Fact& w, const Fact& offset) const {
  DeformAttributes result = attributes_;
  const bool groups = derive_group_ && known(x.dim(1), w.dim(1)) && w.dim(1).value() > 0;
  if (groups) result.conv.group = std::max<int64_t>(1, x.dim(1).value() / w.dim(1).value());
  if (!derive_offset_group_ || !offset.has_rank() || offset.rank() != 4) return result;
  if (!offset.dim(1).known() || !known(w.dim(2), w.dim(3))) return result;
  const int64_t values = checked_mul(2, checked_mul(w.dim(2).value(), w.dim(3).value()));
  if (values > 0) result.offset_group = std::max<int64_t>(1, offset.dim(1).value() / values);
  return result;
}

std::vector<Fact> DeformOp::infer(std::span<const Fact> in) const {
  require_inputs(in, 3, 5);
  const Fact &x = in[0], &w = in[1], &offset = in[2];
  require_floating(x, "input X");
  for (size_t i = 1; i < in.size(); ++i) {
    if (in[i].present()) require_same_dtype(x, in[i], str("inputs 0 and ", i));
  }
  require_rank(x, 4, "input X");
  require_rank(w, 4, "input W");
  if (!x.has_rank() || !w.has_rank()) return {Fact(x.dtype, Dims(4))};
  const DeformAttributes a = attributes(x, w, offset);
  check_conv(a.conv, {}, x, w);
  if (x.dim(1).known() && x.dim(1).value() % a.offset_group != 0) {
    throw Error(ErrorKind::kShape,
                str("the channels of X must be a multiple of offset_group ", a.offset_group, ", got ", x));
  }
  const Fact y(x.dtype, conv_output_dims(a.conv, {}, x, w));
  if (known(w.dim(2), w.dim(3))) {
    const int64_t channels = checked_mul(a.offset_group, checked_mul(w.dim(2).value(), w.dim(3).value()));
    check_field(offset, checked_mul(2, channels), "offset", y);
    if (has_input(in, 4)) check_field(in[4], channels, "mask", y);
  }
  if (has_input(in, 3)) {
    require_rank(in[3], 1, "input B");
    if (in[3].has_rank()) merge_dim(w.dim(0), in[3].dim(0), "the output channels of W and the length of B");
  }
  return {y};
}

KernelPtr DeformOp::compile(const CompileInput& in) const {
  if (in.dtype(0) != DType::kFloat32 && in.dtype(0) != DType::kFloat64) {
    return compile_in_float32(in, [this](const CompileInput& converted) { return compile(converted); });
  }
  const DeformAttributes a = attributes(in.fact(0), in.fact(1), in.fact(2));
  const DeformShape shape{conv_geometry(a.conv, {}, in.shape(0), in.shape(1)), a.offset_group};
  return in.dtype(0) == DType::kFloat32 ? make_deform_f32(shape, in) : make_deform_f64(shape, in);
}

}  // namespace linnet
