#include "quantization/scale_layout.h"

#include <algorithm>

#include "infer/infer.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "quantization/parameter.h"

namespace linnet {
namespace {

void require_scale_shape(bool fits, const Shape& x, const Shape& scale) {
  if (!fits)
    throw Error(ErrorKind::kShape, str("scale ", scale, " does not go with the shape, axis and blocks of x ", x));
}

bool is_blocked_shape(const Shape& x, const Shape& scale, int axis, int64_t block) {
  if (scale.rank() != x.rank()) return false;
  for (int d = 0; d < x.rank(); ++d) {
    if (scale[d] != (d == axis ? ceil_div(x[d], block) : x[d])) return false;
  }
  return true;
}

float as_float(const Wide& value, bool integer) { return integer ? float(value.i) : float(value.d); }

}  // namespace

ScaleLayout::ScaleLayout(const Shape& x, const Shape& scale, int64_t axis, int64_t block_size)
    : per_tensor_(block_size == 0 && scale.elements() == 1), blocked_(block_size > 0) {
  if (per_tensor_) return;
  const int d = normalize_axis(axis, x.rank());
  length_ = x[d];
  inner_ = x.elements(d + 1, x.rank());
  if (blocked_) {
    block_ = block_size;
    require_scale_shape(is_blocked_shape(x, scale, d, block_size), x, scale);
    scales_ = scale[d];
  } else {
    require_scale_shape(scale.rank() == 1 && scale[0] == length_, x, scale);
    scales_ = length_;
  }
}

std::ptrdiff_t ScaleLayout::position(int64_t outer, int64_t index, int64_t column) const {
  return blocked_ ? (outer * scales_ + index / block_) * inner_ + column : index;
}

void ScaleLayout::positions(int64_t first, int64_t n, int64_t* out) const {
  int64_t column = first % inner_;
  int64_t index = first / inner_ % length_;
  int64_t outer = first / inner_ / length_;
  for (int64_t i = 0; i < n; ++i) {
    out[i] = position(outer, index, column);
    if (++column < inner_) continue;
    column = 0;
    if (++index < length_) continue;
    index = 0;
    ++outer;
  }
}

ScaleRun ScaleLayout::run(int64_t first, int64_t end) const {
  const int64_t n = end - first;
  if (per_tensor_) return {n, 0, n};
  const int64_t column = first % inner_, row = first / inner_;
  const int64_t index = row % length_;
  const std::ptrdiff_t scale = position(row / length_, index, column);
  if (blocked_ && inner_ > 1) return {std::min(n, inner_ - column), scale, 1};
  const int64_t block = blocked_ ? block_ : inner_, within = blocked_ ? index % block_ : column;
  const int64_t rest = blocked_ ? length_ - index : (length_ - index) * inner_ - column;
  return {std::min({n, rest, within > 0 ? block - within : rest}), scale, block};
}

ScaleReader::ScaleReader(const CompileInput& in, int64_t axis, int64_t block_size)
    : layout_(in.shape(0), in.shape(1), axis, block_size),
      scale_(wide_reader(in.dtype(1))),
      integer_scale_(is_integer(in.dtype(1))),
      integer_zero_point_(in.has(2) && is_integer(in.dtype(2))) {
  if (in.has(2)) zero_point_ = wide_reader(in.dtype(2));
}

void ScaleReader::fill(KernelContext& context, int64_t first, int64_t n, bool filled, ScaleBlock& block) const {
  if (layout_.per_tensor() && filled) return;
  int64_t positions[kQuantizationBlock] = {};
  if (layout_.per_tensor())
    n = kQuantizationBlock;
  else
    layout_.positions(first, n, positions);
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0 && positions[i] == positions[i - 1]) {
      block.scale[i] = block.scale[i - 1];
      block.zero_point[i] = block.zero_point[i - 1];
      continue;
    }
    Wide value;
    scale_(context.input(1).raw(), positions[i], 1, &value);
    block.scale[i] = as_float(value, integer_scale_);
    if (zero_point_) zero_point_(context.input(2).raw(), positions[i], 1, &value);
    block.zero_point[i] = zero_point_ ? as_float(value, integer_zero_point_) : 0.0f;
  }
}

void ScaledBlocksKernel::run(KernelContext& context) const {
  const void* x = context.input(0).raw();
  void* y = context.output(0).raw();
  parallel_items(context.executor(), elements_, 1, [&](int64_t begin, int64_t end, int) {
    ScaleBlock scales;
    for (int64_t first = begin; first < end; first += kQuantizationBlock) {
      const int64_t n = std::min(kQuantizationBlock, end - first);
      scales_.fill(context, first, n, first > begin, scales);
      Wide block[kQuantizationBlock];
      read_(x, first, n, block);
      convert(scales, n, block);
      write_(block, y, first, n);
    }
  });
}

void check_scales(std::span<const Fact> in, int64_t axis, int64_t block_size) {
  if (block_size < 0) throw Error(ErrorKind::kModel, str("block_size must be 0 or more, got ", block_size));
  const bool one_each = has_input(in, 2) && holds_one(in[1]) && holds_one(in[2]);
  if (has_input(in, 2) && !one_each && !compatible(Fact(in[1].dtype, in[1].dims), Fact(in[1].dtype, in[2].dims))) {
    throw Error(ErrorKind::kShape, str("zero point must have the scale's shape, got ", in[2], " for ", in[1]));
  }
  if (in[0].concrete() && in[1].concrete()) ScaleLayout(in[0].shape(), in[1].shape(), axis, block_size);
}

}  // namespace linnet
