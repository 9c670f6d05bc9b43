#include "environment/rows.h"

#include <algorithm>
#include <cstring>

#include "environment/run_environment.h"

namespace linnet {
namespace {

/// The bytes of one row, and of a group of rows that are contiguous.
struct RowBytes {
  size_t row = 0, all = 0;
  size_t count = 0;  ///< the number of such groups

  RowBytes(const Tensor& x, int axis) {
    if (x.size() == 0) return;
    count = size_t(x.shape().elements(0, axis));
    all = x.bytes() / count;
    row = all / size_t(x.dim(axis));
  }
};

/// Calls f(i) for each group and checks the deadline from time to time.
template <class F>
void for_each_group(size_t count, size_t bytes, F f) {
  constexpr size_t kBytes = size_t{1} << 22,
                   kLeast = 64;  // bytes between checks; at the least of a group, including the call
  const size_t step = std::max<size_t>(1, kBytes / std::max(kLeast, bytes));
  for (size_t i = 0; i < count; ++i) {
    if (i % step == 0) check_current();
    f(i);
  }
}

}  // namespace

Shape with_rows(Shape shape, int axis, int64_t rows) {
  shape[axis] = rows;
  return shape;
}

void copy_rows(const Tensor& from, int axis, int64_t rows, Tensor& to) {
  const RowBytes source(from, axis), target(to, axis);
  const size_t bytes = size_t(rows) * source.row;
  if (bytes == 0) return;
  for_each_group(source.count, bytes, [&](size_t i) {
    std::memcpy(static_cast<std::byte*>(to.raw()) + i * target.all,
                static_cast<const std::byte*>(from.raw()) + i * source.all, bytes);
  });
}

void clear_rows(Tensor& x, int axis, int64_t begin, int64_t end) {
  const RowBytes each(x, axis);
  if (begin >= end) return;
  const size_t bytes = size_t(end - begin) * each.row;
  for_each_group(each.count, bytes, [&](size_t i) {
    std::memset(static_cast<std::byte*>(x.raw()) + i * each.all + size_t(begin) * each.row, 0, bytes);
  });
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
      for_each_group(groups, used, [&](size_t i) { std::memcpy(target + i * group, begin + i * group, used); });
      target += sample;
    }
  }
}

bool rows_are_dense(const Shape& shape, int axis) { return shape.elements(0, axis) <= 1; }

}  // namespace linnet
