#include "linnet/shape.h"

#include <algorithm>
#include <utility>

#include "linnet/error.h"

namespace linnet {
namespace {

// checked_mul() is not used because it is exported: calls would go through the library's symbol table.
inline int64_t product(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw Error(ErrorKind::kLimit, str("size overflow: ", a, " * ", b));
  return result;
}

}  // namespace

Shape::Shape(std::span<const int64_t> dims) {
  for (const int64_t dim : dims) push_back(dim);
}

void Shape::push_back(int64_t dim) {
  if (rank_ == kMaxRank) throw Error(ErrorKind::kLimit, str("rank exceeds ", kMaxRank));
  if (dim < 0) throw Error(ErrorKind::kShape, str("negative dim ", dim));
  if (rank_ == std::ssize(few_)) {
    all_ = std::make_unique<All>();
    std::ranges::copy(few_, all_->begin());
  }
  (*this)[rank_++] = dim;
}

int64_t Shape::elements(int first, int last) const {
  int64_t count = 1;
  for (int i = first; i < last; ++i) count = product(count, (*this)[i]);
  return count;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '[';
  for (int i = 0; i < shape.rank(); ++i) out << (i ? "," : "") << shape[i];
  return out << ']';
}

int64_t checked_mul(int64_t a, int64_t b) { return product(a, b); }

int64_t checked_add(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw Error(ErrorKind::kLimit, str("size overflow: ", a, " + ", b));
  return result;
}

int normalize_axis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    throw Error(ErrorKind::kShape, str("axis ", axis, " is out of range for rank ", rank));
  }
  return int(axis < 0 ? axis + rank : axis);
}

}  // namespace linnet
