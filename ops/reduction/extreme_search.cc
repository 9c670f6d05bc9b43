#include "reduction/extreme_search.h"

#include <algorithm>

#include "elements/dispatch.h"

namespace linnet {
namespace {

/// Whether v is beyond the best value so far. NaN is beyond every other value.
template <bool kMax, class T>
bool is_beyond(T v, T best) {
  return (kMax ? v > best : v < best) | ((v != v) & (best == best));
}

template <class T>
bool is_same(T a, T b) {
  return (a == b) | ((a != a) & (b != b));
}

constexpr int64_t kRowColumns = 32;  ///< of the matrix that a row is searched as

/// The extremes of some columns and where they are. int32_t lets compilers vectorise the search of float32.
template <class T>
struct Extremes {
  T value[kSearchColumns];
  int32_t row[kSearchColumns];
};

/// Searches n >= 1 rows down `columns` >= 1 columns, `pitch` elements apart; upwards for the last of equal values.
template <class T, bool kMax>
void search(const T* x, int64_t n, int64_t pitch, int64_t columns, bool last, Extremes<T>& best) {
  if (last) x += (n - 1) * pitch, pitch = -pitch;
  int64_t first = 0;
  do best.value[first] = x[first], best.row[first] = 0;
  while (++first < columns);
  for (int64_t i = 1; i < n; ++i) {
    const T* row = x + i * pitch;
    for (int64_t c = 0; c < columns; ++c) {
      const T v = row[c], old = best.value[c];
      const bool better = is_beyond<kMax>(v, old);
      best.value[c] = better ? v : old;
      best.row[c] = better ? int32_t(i) : best.row[c];
    }
  }
  for (int64_t c = 0; last && c < columns; ++c) best.row[c] = int32_t(n - 1) - best.row[c];
}

/// The index of the extreme of a row of n values that was searched as a matrix of kRowColumns columns, what is left
/// over not yet.
template <class T, bool kMax>
int64_t extreme_of_row(const T* x, int64_t n, bool last, const Extremes<T>& best) {
  T value = best.value[0];
  int64_t index = best.row[0] * kRowColumns;
  const auto compare = [&](T v, int64_t i) {
    const bool preferred = last ? i > index : i < index;
    if (is_beyond<kMax>(v, value) || (preferred && is_same(v, value))) value = v, index = i;
  };
  for (int64_t c = 1; c < kRowColumns; ++c) compare(best.value[c], best.row[c] * kRowColumns + c);
  for (int64_t i = n / kRowColumns * kRowColumns; i < n; ++i) compare(x[i], i);
  return index;
}

/// Short rows, some of them as the columns of a matrix.
template <class T, bool kMax>
void search_short_rows(const T* x, int64_t* y, int64_t n, int64_t rows, bool last) {
  constexpr int64_t kRows = 64;
  T columns[kRowColumns * kRows];
  Extremes<T> best;
  for (int64_t count; rows > 0; rows -= count, x += count * n, y += count) {
    count = std::min(kRows, rows);
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < n; ++i) columns[i * kRows + r] = x[r * n + i];
    }
    search<T, kMax>(columns, n, kRows, count, last, best);
    std::copy(best.row, best.row + count, y);
  }
}

template <class T, bool kMax>
void search_lanes(const void* x, int64_t* y, int64_t n, int64_t inner, int64_t lanes, bool last) {
  const auto* values = static_cast<const T*>(x);
  Extremes<T> best;
  if (inner > 1) {
    search<T, kMax>(values, n, inner, lanes, last, best);
    std::copy(best.row, best.row + lanes, y);
  } else if (n < kRowColumns) {
    search_short_rows<T, kMax>(values, y, n, lanes, last);
  } else {
    for (int64_t r = 0; r < lanes; ++r, values += n) {
      search<T, kMax>(values, n / kRowColumns, kRowColumns, kRowColumns, last, best);
      y[r] = extreme_of_row<T, kMax>(values, n, last, best);
    }
  }
}

}  // namespace

ExtremeSearch extreme_search(DType dtype, bool largest) {
  return dispatch_number(
      dtype, [=]<class T>() -> ExtremeSearch { return largest ? search_lanes<T, true> : search_lanes<T, false>; });
}

}  // namespace linnet
