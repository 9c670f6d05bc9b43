#include "indexing/element_walk.h"

#include <algorithm>

#include "infer/infer.h"
#include "movement/strided_copy.h"

namespace linnet {

ElementWalk::ElementWalk(const Shape& tensor, const Shape& indices, int axis)
    : axis_(axis), dim_(tensor[axis]), stride_(tensor.elements(axis + 1, tensor.rank())) {
  const std::vector<int64_t> strides = row_major_strides(tensor);
  for (int d = tensor.rank() - 1; d >= 0; --d) {
    // Merges axes that are contiguous in both tensors.
    const int inner = d + 1;
    const bool follows = inner < tensor.rank() && d != axis && inner != axis && tensor[inner] == indices[inner];
    const int64_t together = follows ? checked_mul(dims_.back(), indices[d]) : 0;
    if (follows && (dims_.size() > 1 || together <= kLongestRow)) {
      dims_.back() = together;
    } else {
      dims_.push_back(indices[d]);
      strides_.push_back(d == axis ? 0 : strides[size_t(d)]);
    }
  }
  std::reverse(dims_.begin(), dims_.end());
  std::reverse(strides_.begin(), strides_.end());
  row_ = dims_.back();
  rows_ = row_ == 0 ? 0 : indices.elements() / row_;
  step_ = strides_.back();
}

int64_t ElementWalk::base(int64_t r) const {
  int64_t offset = 0;
  for (size_t d = dims_.size() - 1; d-- > 0;) {
    offset += r % dims_[d] * strides_[d];
    r /= dims_[d];
  }
  return offset;
}

void require_indices_fit(const Fact& data, const Fact& indices, int64_t axis) {
  const int normal = normalize_axis(axis, data.rank());
  if (!indices.has_rank()) return;
  require_rank(indices, data.rank(), "indices");
  for (int d = 0; d < data.rank(); ++d) {
    const Dim &most = data.dim(d), &got = indices.dim(d);
    if (d != normal) learn_at_least(most, got);
    if (d != normal && most.known() && got.known() && got.value() > most.value()) {
      throw Error(ErrorKind::kShape, str("dim ", d, " of indices must be at most ", most, ", got ", indices));
    }
  }
}

}  // namespace linnet
