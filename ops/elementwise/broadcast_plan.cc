#include "elementwise/broadcast_plan.h"

#include "linnet/error.h"

namespace linnet {
namespace {

/// The extent of `shape` in dim `d` of the output, with both aligned at their last dims.
int64_t extent_at(const Shape& shape, int d, int output_rank) {
  const int own = d - (output_rank - shape.rank());
  return own < 0 ? 1 : shape[own];
}

void check_broadcasts(const Shape& shape, const Shape& output) {
  bool fits = shape.rank() <= output.rank();
  for (int d = 0; fits && d < output.rank(); ++d) {
    const int64_t extent = extent_at(shape, d, output.rank());
    fits = extent == 1 || extent == output[d];
  }
  if (!fits) throw Error(ErrorKind::kShape, str("shape ", shape, " does not broadcast to ", output));
}

/// Consecutive output dims in which each input either repeats or advances throughout.
struct MergedDim {
  int64_t extent;
  std::vector<bool> repeats;
};

std::vector<MergedDim> merge_dims(const Shape& output, const std::vector<Shape>& inputs) {
  std::vector<MergedDim> merged;
  for (int d = 0; d < output.rank(); ++d) {
    if (output[d] == 1) continue;
    MergedDim dim{output[d], {}};
    for (const Shape& input : inputs) dim.repeats.push_back(extent_at(input, d, output.rank()) == 1);
    if (!merged.empty() && merged.back().repeats == dim.repeats) {
      merged.back().extent *= dim.extent;
    } else {
      merged.push_back(std::move(dim));
    }
  }
  if (merged.empty()) merged.push_back({1, std::vector<bool>(inputs.size(), false)});
  return merged;
}

BroadcastPlan::Input plan_input(const std::vector<MergedDim>& dims, size_t k) {
  BroadcastPlan::Input input;
  input.strides.resize(dims.size());
  int64_t step = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    const bool repeats = dims[d].repeats[k];
    input.strides[d] = repeats ? 0 : step;
    if (!repeats) step *= dims[d].extent;
    if (repeats) input.dense = false;
  }
  input.scalar = input.strides.back() == 0;
  input.strides.pop_back();
  return input;
}

}  // namespace

BroadcastPlan::BroadcastPlan(const Shape& output, const std::vector<Shape>& shapes) : elements(output.elements()) {
  for (const Shape& shape : shapes) check_broadcasts(shape, output);
  const std::vector<MergedDim> dims = merge_dims(output, shapes);
  row = dims.back().extent;
  for (size_t d = 0; d + 1 < dims.size(); ++d) outer_dims.push_back(dims[d].extent);
  for (size_t k = 0; k < shapes.size(); ++k) inputs.push_back(plan_input(dims, k));
}

RowCursor::RowCursor(const BroadcastPlan& plan, int64_t row) : plan_(plan) {
  for (size_t d = plan.outer_dims.size(); d-- > 0;) {
    position_[d] = row % plan.outer_dims[d];
    row /= plan.outer_dims[d];
  }
}

int64_t RowCursor::offset(int k) const {
  const std::vector<int64_t>& strides = plan_.inputs[size_t(k)].strides;
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += position_[d] * strides[d];
  return offset;
}

void RowCursor::advance() { advance(1); }

int64_t RowCursor::rows_left() const {
  if (plan_.outer_dims.empty()) return 1;
  return plan_.outer_dims.back() - position_[plan_.outer_dims.size() - 1];
}

void RowCursor::advance(int64_t rows) {
  for (size_t d = plan_.outer_dims.size(); d-- > 0; rows = 1) {
    position_[d] += rows;
    if (position_[d] < plan_.outer_dims[d]) return;
    position_[d] = 0;
  }
}

}  // namespace linnet
