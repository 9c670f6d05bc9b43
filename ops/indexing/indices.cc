#include "indexing/indices.h"

#include "partition/checkpoints.h"

namespace linnet {

void throw_index(int64_t index, int64_t dim, int axis) {
  throw Error(ErrorKind::kShape, str("index ", index, " is out of range [", -dim, ",", dim, ") of axis ", axis));
}

void check_indices(const Indices& indices, int64_t dim, int axis) {
  Checkpoints().in_parts(indices.size(), 1, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) check_index(indices[i], dim, axis);
  });
}

}  // namespace linnet
