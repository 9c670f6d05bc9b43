#include "tensor/element_walk.h"

#include "infer/infer.h"
#include "tensor/strided_copy.h"

namespace linnet {

ElementWalk::ElementWalk(const Shape& tensor, const Shape& indices, int axis)
    : indices_(indices), axis_(axis), dim_(tensor[axis]), strides_(row_major_strides(tensor)) {
  const int last = tensor.rank() - 1;
  row_ = indices[last];
  rows_ = indices.elements(0, last);
  step_ = axis == last ? 0 : 1;
}

int64_t ElementWalk::base(int64_t r) const {
  int64_t offset = 0;
  for (int d = indices_.rank() - 2; d >= 0; --d) {
    if (d != axis_) offset += r % indices_[d] * strides_[size_t(d)];
    r /= indices_[d];
  }
  return offset;
}

void require_indices_fit(const Fact& data, const Fact& indices, int64_t axis) {
  const int normal = normalize_axis(axis, data.rank());
  if (!indices.has_rank()) return;
  require_rank(indices, data.rank(), "indices");
  for (int d = 0; d < data.rank(); ++d) {
    const Dim &most = data.dim(d), &got = indices.dim(d);
    if (d != normal && most.known() && got.known() && got.value() > most.value()) {
      throw Error(ErrorKind::kShape, str("dim ", d, " of indices must be at most ", most, ", got ", indices));
    }
  }
}

}  // namespace linnet
