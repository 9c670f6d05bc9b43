#include "tensor/rows.h"

#include <cstring>

namespace linnet {
namespace {

/// The bytes of one row, and of all rows that lie together.
struct RowBytes {
  size_t row = 0, all = 0;
  size_t count = 0;  ///< of such groups of rows

  RowBytes(const Tensor& x, int axis) : count(size_t(x.shape().elements(0, axis))) {
    if (count == 0 || x.size() == 0) return;
    all = x.bytes() / count;
    row = all / size_t(x.dim(axis));
  }
};

}  // namespace

Shape with_rows(Shape shape, int axis, int64_t rows) {
  shape[axis] = rows;
  return shape;
}

void copy_rows(const Tensor& from, int axis, int64_t rows, Tensor& to) {
  const RowBytes source(from, axis), target(to, axis);
  for (size_t i = 0; i < source.count && rows > 0; ++i) {
    std::memcpy(static_cast<std::byte*>(to.raw()) + i * target.all,
                static_cast<const std::byte*>(from.raw()) + i * source.all, size_t(rows) * source.row);
  }
}

void clear_rows(Tensor& x, int axis, int64_t begin, int64_t end) {
  const RowBytes bytes(x, axis);
  for (size_t i = 0; i < bytes.count && begin < end; ++i) {
    std::memset(static_cast<std::byte*>(x.raw()) + i * bytes.all + size_t(begin) * bytes.row, 0,
                size_t(end - begin) * bytes.row);
  }
}

void copy_samples(const Tensor& from, int axis, std::span<const int64_t> samples, int row_axis, int64_t rows,
                  Tensor& to) {
  const Shape& shape = from.shape();
  const auto groups = size_t(row_axis > axis ? shape.elements(axis + 1, row_axis) : 1);
  const size_t sample = dtype_bytes(from.dtype(), shape.elements(axis + 1, shape.rank()));
  if (groups == 0 || sample == 0) return;
  const size_t group = sample / groups;
  const size_t used = row_axis > axis ? group / size_t(shape[row_axis]) * size_t(rows) : group;
  const auto* source = static_cast<const std::byte*>(from.raw());
  auto* target = static_cast<std::byte*>(to.raw());
  for (int64_t outer = 0; outer < shape.elements(0, axis); ++outer, source += size_t(shape[axis]) * sample) {
    for (const int64_t index : samples) {
      const std::byte* begin = source + size_t(index) * sample;
      for (size_t i = 0; i < groups; ++i, target += group) std::memcpy(target, begin + i * group, used);
    }
  }
}

bool rows_are_dense(const Shape& shape, int axis) { return shape.elements(0, axis) <= 1; }

}  // namespace linnet
