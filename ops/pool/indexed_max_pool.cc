#include "pool/indexed_max_pool.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "elements/dispatch.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "pool/pool_scalar.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

/// Returns the index of an element counted with the spatial axes in reverse order (storage_order 1).
std::ptrdiff_t column_major(const PoolShape& s, int64_t offset) {
  const int64_t x = offset % s.axes[2].in, y = offset / s.axes[2].in % s.axes[1].in;
  const int64_t z = offset / s.axes[2].in / s.axes[1].in % s.axes[0].in, plane = offset / s.in_pixels();
  return plane * s.in_pixels() + (x * s.axes[1].in + y) * s.axes[0].in + z;
}

/// Calls f(position, columns) in ascending order for each kernel position that is inside the input for some columns.
template <class F>
void for_positions(const CountedVector<PoolWindow>& windows, const F& f) {
  Span columns{int64_t(windows.size()), int64_t(windows.size())};  // the last windows contain the first positions
  for (int64_t k = 0;;) {
    while (columns.begin > 0 && windows[size_t(columns.begin - 1)].begin <= k) --columns.begin;
    while (columns.size() > 0 && windows[size_t(columns.end - 1)].end <= k) --columns.end;
    if (columns.size() > 0) {
      f(k++, columns);
    } else if (columns.begin == 0) {
      return;
    } else {
      k = windows[size_t(columns.begin - 1)].begin;
    }
  }
}

/// Takes those of n columns, whose elements are `stride` apart, that are larger than the best so far. Has no branches,
/// since these would be unpredictable. Returns whether a value is NaN. kStride: the stride; 0: any.
template <int64_t kStride, class T>
bool take_larger(const T* x, int64_t stride, int64_t n, int64_t at, T* __restrict best, int64_t* __restrict where) {
  const int64_t step = kStride > 0 ? kStride : stride;
  int nan = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T value = x[i * step];
    const int64_t takes = -int64_t{value > best[i]};
    nan |= int{value != value};
    best[i] = value > best[i] ? value : best[i];
    where[i] ^= (where[i] ^ at) & takes;
  }
  return nan != 0;
}
template <class T>
bool take_larger(const T* x, int64_t stride, int64_t n, int64_t at, T* best, int64_t* where) {
  return (stride == 1   ? take_larger<1, T>
          : stride == 2 ? take_larger<2, T>
                        : take_larger<0, T>)(x, stride, n, at, best, where);
}

/// The same, but also takes NaN.
template <class T>
void take_larger_or_nan(const T* x, int64_t stride, int64_t n, int64_t at, T* best, int64_t* where) {
  for (int64_t i = 0; i < n; ++i, x += stride) {
    if (!(*x > best[i] || *x != *x)) continue;
    best[i] = *x;
    where[i] = at;
  }
}

/// MaxPool with indices. All windows of a row process one kernel position after another.
template <class T>
class IndexedMaxPool final : public Kernel {
 public:
  IndexedMaxPool(PoolShape shape, bool by_columns) : shape_(std::move(shape)), by_columns_(by_columns) {
    for_positions(shape_.windows[2], [&](int64_t k, const Span& columns) {
      const int64_t shift = k * shape_.axes[2].dilation;
      positions_.push_back({shift, shift + shape_.windows[2][size_t(columns.begin)].origin, columns});
    });
  }

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    int64_t* indices = context.output(1).data<int64_t>();
    const int64_t rows = shape_.batch * shape_.channels * shape_.axes[0].out * shape_.axes[1].out;
    const int64_t columns = shape_.axes[2].out;
    parallel_items(context.executor(), rows, columns * shape_.taps(), [&](int64_t row, int64_t end, int) {
      Checkpoints checkpoints;
      for (PoolRow r(shape_, row); row < end; ++row, r.advance(shape_)) {
        T* best = y + row * columns;
        int64_t* where = indices + row * columns;
        if (pool_row<false>(x, r, best, where, checkpoints)) pool_row<true>(x, r, best, where, checkpoints);
      }
    });
  }

 private:
  /// A position along the line: its distance from the origin of a window, the first element at it, and the columns
  /// whose windows contain it.
  struct Position {
    int64_t shift, first;
    Span columns;
  };

  /// Returns whether a window contains NaN. NaN is taken only with kTakesNan.
  template <bool kTakesNan>
  bool pool_row(const T* x, const PoolRow& row, T* best, int64_t* where, Checkpoints& checkpoints) const {
    bool nan = false;
    const int64_t plane = row.plane * shape_.in_pixels();
    const auto line_at = [&](int64_t kd, int64_t kh) -> std::ptrdiff_t {
      const std::ptrdiff_t z = row.depth->origin + kd * shape_.axes[0].dilation;
      const std::ptrdiff_t y = row.height->origin + kh * shape_.axes[1].dilation;
      return (z * shape_.axes[1].in + y) * shape_.axes[2].in;
    };
    const bool any = row.depth->begin < row.depth->end && row.height->begin < row.height->end;
    begin_row(x + plane, any ? line_at(row.depth->begin, row.height->begin) : -1, best, where);
    for (int64_t kd = row.depth->begin; any && kd < row.depth->end; ++kd) {
      for (int64_t kh = row.height->begin; kh < row.height->end; ++kh) {
        const int64_t line = line_at(kd, kh);
        for (const Position& p : positions_) {
          const int64_t at = line + p.shift, stride = shape_.axes[2].stride, c = p.columns.begin, n = p.columns.size();
          const T* first = x + plane + line + p.first;
          if constexpr (kTakesNan)
            take_larger_or_nan(first, stride, n, at, best + c, where + c);
          else
            nan |= take_larger(first, stride, n, at, best + c, where + c);
          checkpoints.add(n);
        }
      }
    }
    end_row(plane, where);
    return nan;
  }

  /// Starts each window with its first element. line: the first line of the windows, -1 without one.
  void begin_row(const T* x, int64_t line, T* best, int64_t* where) const {
    for (const PoolWindow& w : shape_.windows[2]) {
      const bool any = line >= 0 && w.begin < w.end;
      const int64_t at = line + w.begin * shape_.axes[2].dilation;
      *where++ = any ? at : -1;
      *best++ = any ? x[at + w.origin] : kLowest<T>;
    }
  }

  /// Completes `where`, which up to here holds distances between elements and their window's origin along the line.
  void end_row(int64_t plane, int64_t* where) const {
    for (const PoolWindow& w : shape_.windows[2]) {
      const int64_t offset = *where < 0 ? 0 : plane + *where + w.origin;
      *where++ = by_columns_ ? column_major(shape_, offset) : offset;
    }
  }

  PoolShape shape_;
  bool by_columns_;
  CountedVector<Position> positions_;
};

}  // namespace

KernelPtr make_indexed_max_pool(PoolShape shape, bool by_columns, DType dtype) {
  const auto make = [&]<class T>() -> KernelPtr {
    return std::make_unique<IndexedMaxPool<T>>(std::move(shape), by_columns);
  };
  if (dtype == DType::kInt8) return make.operator()<int8_t>();
  if (dtype == DType::kUint8) return make.operator()<uint8_t>();
  return dispatch_float(dtype, make);
}

}  // namespace linnet
