#include "tensor/indices.h"

namespace linnet {

void throw_index(int64_t index, int64_t dim, int axis) {
  throw Error(ErrorKind::kShape, str("index ", index, " is out of range [", -dim, ",", dim, ") of axis ", axis));
}

void check_indices(const Indices& indices, int64_t dim, int axis) {
  for (int64_t i = 0; i < indices.size(); ++i) check_index(indices[i], dim, axis);
}

}  // namespace linnet
