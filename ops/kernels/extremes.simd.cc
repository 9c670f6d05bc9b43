#include "kernels/extremes.h"

#include <type_traits>

#include "kernels/byte_vectors.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// The signed integer as wide as T, which is the element type of comparisons of vectors of T.
template <class T>
using IndexOf = std::conditional_t<
    sizeof(T) == 1, int8_t,
    std::conditional_t<sizeof(T) == 2, int16_t, std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>>;

/// The most rows whose index fits into an IndexOf<T>.
template <class T>
constexpr int64_t kMostRows = sizeof(T) == 1   ? INT8_MAX
                              : sizeof(T) == 2 ? INT16_MAX
                                               : INT32_MAX;

/// The number of rows that are searched in some columns before the next columns. Such a tile fits the cache.
constexpr int64_t kTileRows = 64;

/// Whether v is more extreme than the best value so far; for vectors, in each lane. NaN is more extreme than every
/// other value.
template <bool kMax, class T>
[[gnu::always_inline]] inline auto is_beyond(const T& v, const T& best) {
  return (kMax ? v > best : v < best) | ((v != v) & (best == best));
}

/// The rows [first, end) of a matrix whose rows are `pitch` elements apart.
template <class T>
struct Tile {
  const T* x;
  int64_t first, end, pitch;
};

/// Continues the search in kVectors vectors of columns, in registers.
template <class T, bool kMax, int kVectors>
[[gnu::noinline]] void search_vectors(const Tile<T>& tile, int64_t column, T* values, IndexOf<T>* positions) {
  constexpr int kWidth = int(4 * kLanes / sizeof(T));
  using Values = typename VectorOf<T, kWidth>::Type;
  using Positions = typename VectorOf<IndexOf<T>, kWidth>::Type;
  Values best[kVectors];
  Positions at[kVectors];
  __builtin_memcpy(best, values + column, sizeof best);
  __builtin_memcpy(at, positions + column, sizeof at);
  Positions index = Positions{} + IndexOf<T>(tile.first);
  const T* x = tile.x + tile.first * tile.pitch + column;
  for (int64_t i = tile.first; i < tile.end; ++i, x += tile.pitch, index += IndexOf<T>(1)) {
    LINNET_UNROLL for (int v = 0; v < kVectors; ++v) {
      Values row;
      __builtin_memcpy(&row, x + v * kWidth, sizeof row);
      const auto beyond = is_beyond<kMax>(row, best[v]);
      best[v] = beyond ? row : best[v];
      at[v] = beyond ? index : at[v];
    }
  }
  __builtin_memcpy(values + column, best, sizeof best);
  __builtin_memcpy(positions + column, at, sizeof at);
}

/// Continues the search in `columns` columns.
template <class T, bool kMax>
[[gnu::noinline]] void search_tile(const Tile<T>& tile, int64_t columns, T* values, IndexOf<T>* positions) {
  constexpr int64_t kWidth = int64_t(4 * kLanes / sizeof(T));
  int64_t c = 0;
  for (; c + 4 * kWidth <= columns; c += 4 * kWidth) search_vectors<T, kMax, 4>(tile, c, values, positions);
  for (; c < columns && columns >= kWidth; c += kWidth) {
    search_vectors<T, kMax, 1>(tile, c < columns - kWidth ? c : columns - kWidth, values, positions);
  }
  for (; c < columns; ++c) {
    for (int64_t i = tile.first; i < tile.end; ++i) {
      const T v = tile.x[i * tile.pitch + c];
      if (!is_beyond<kMax>(v, values[c])) continue;
      values[c] = v;
      positions[c] = IndexOf<T>(i);
    }
  }
}

/// Searches at most kMostRows<T> rows.
template <class T, bool kMax>
void search_rows(const T* x, int64_t rows, int64_t pitch, int64_t columns, T* values, IndexOf<T>* positions) {
  __builtin_memcpy(values, x, size_t(columns) * sizeof(T));
  __builtin_memset(positions, 0, size_t(columns) * sizeof(IndexOf<T>));
  for (int64_t first = 1; first < rows; first += kTileRows) {
    const int64_t end = rows - first < kTileRows ? rows : first + kTileRows;
    search_tile<T, kMax>({x, first, end, pitch}, columns, values, positions);
  }
}

/// Searches n >= 1 rows of `columns` >= 1 columns; rows are `pitch` elements apart.
template <class T, bool kMax>
[[gnu::noinline]] void search_columns(const T* x, int64_t* y, int64_t n, int64_t pitch, int64_t columns, bool last) {
  if (last) x += (n - 1) * pitch, pitch = -pitch;
  T values[kSearchColumns];
  IndexOf<T> positions[kSearchColumns];
  const auto search = [&](int64_t first) {
    const int64_t rows = n - first < kMostRows<T> ? n - first : kMostRows<T>;
    search_rows<T, kMax>(x + first * pitch, rows, pitch, columns, values, positions);
  };
  search(0);
  for (int64_t c = 0; c < columns; ++c) y[c] = positions[c];
  if constexpr (sizeof(T) < 4) {
    T best[kSearchColumns];
    __builtin_memcpy(best, values, sizeof best);
    for (int64_t first = kMostRows<T>; first < n; first += kMostRows<T>) {
      search(first);
      for (int64_t c = 0; c < columns; ++c) {
        if (!is_beyond<kMax>(values[c], best[c])) continue;
        best[c] = values[c];
        y[c] = first + positions[c];
      }
    }
  }
  for (int64_t c = 0; last && c < columns; ++c) y[c] = n - 1 - y[c];
}

/// Returns the extreme of n >= 1 values, or NaN where one is NaN.
template <class T, bool kMax>
[[gnu::noinline]] T extreme_of(const T* x, int64_t n) {
  constexpr int kWidth = int(4 * kLanes / sizeof(T)), kVectors = 4;
  constexpr int64_t kStep = kVectors * kWidth;
  using Values = typename VectorOf<T, kWidth>::Type;
  T extreme = x[0];
  if (n >= kStep) {
    Values best[kVectors];
    __builtin_memcpy(best, x, sizeof best);
    for (; n >= kStep; x += kStep, n -= kStep) {
      LINNET_UNROLL for (int v = 0; v < kVectors; ++v) {
        Values values;
        __builtin_memcpy(&values, x + v * kWidth, sizeof values);
        best[v] = is_beyond<kMax>(values, best[v]) ? values : best[v];
      }
    }
    LINNET_UNROLL for (int v = 1; v < kVectors; ++v) {
      best[0] = is_beyond<kMax>(best[v], best[0]) ? best[v] : best[0];
    }
    extreme = best[0][0];
    for (int i = 1; i < kWidth; ++i) extreme = is_beyond<kMax>(T(best[0][i]), extreme) ? T(best[0][i]) : extreme;
  }
  for (int64_t i = 0; i < n; ++i) extreme = is_beyond<kMax>(x[i], extreme) ? x[i] : extreme;
  return extreme;
}

template <class T>
inline bool is_same(T a, T b) {
  return (a == b) | ((a != a) & (b != b));
}

/// The number of values that are compared between two branches.
constexpr int64_t kCompared = 64;

template <class T>
inline bool has(const T* x, T value) {
  IndexOf<T> found = 0;
  for (int64_t i = 0; i < kCompared; ++i) found |= is_same(x[i], value) ? IndexOf<T>(1) : IndexOf<T>(0);
  return found != 0;
}

/// Returns the first (or last) position of a value that occurs in x.
template <class T>
[[gnu::noinline]] int64_t position_of(const T* x, int64_t n, T value, bool last) {
  int64_t i = last ? n : 0;
  if (last) {
    while (i >= kCompared && !has(x + i - kCompared, value)) i -= kCompared;
    do --i;
    while (!is_same(x[i], value));
  } else {
    while (i + kCompared <= n && !has(x + i, value)) i += kCompared;
    while (!is_same(x[i], value)) ++i;
  }
  return i;
}

/// Finds the extreme of each part first, then the position in the part that contains the extreme of all.
template <class T, bool kMax>
int64_t search_row(const T* x, int64_t n, bool last) {
  constexpr int64_t kPart = 4096;
  const auto length = [n](int64_t first) { return n - first < kPart ? n - first : kPart; };
  int64_t found = 0;
  T extreme = extreme_of<T, kMax>(x, length(0));
  for (int64_t first = kPart; first < n; first += kPart) {
    const T own = extreme_of<T, kMax>(x + first, length(first));
    if (!is_beyond<kMax>(own, extreme) && !(last && is_same(own, extreme))) continue;
    extreme = own;
    found = first;
  }
  return found + position_of(x + found, length(found), extreme, last);
}

/// Rows of fewer values are searched as the columns of a matrix.
constexpr int64_t kShortRow = 32;

template <class T, bool kMax>
void search_short_rows(const T* x, int64_t* y, int64_t n, int64_t rows, bool last) {
  constexpr int64_t kRows = 64;
  T columns[kShortRow * kRows];
  for (int64_t count; rows > 0; rows -= count, x += count * n, y += count) {
    count = rows < kRows ? rows : kRows;
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < n; ++i) columns[i * kRows + r] = x[r * n + i];
    }
    search_columns<T, kMax>(columns, y, n, kRows, count, last);
  }
}

template <class T, bool kMax>
void search(const void* x, int64_t* y, int64_t n, int64_t inner, int64_t lanes, bool last) {
  const auto* values = static_cast<const T*>(x);
  if (inner > 1) return search_columns<T, kMax>(values, y, n, inner, lanes, last);
  if (n < kShortRow) return search_short_rows<T, kMax>(values, y, n, lanes, last);
  for (int64_t r = 0; r < lanes; ++r, values += n) y[r] = search_row<T, kMax>(values, n, last);
}

template <class T>
constexpr ExtremeSearches kSearches{search<T, true>, search<T, false>};

}  // namespace

void fill(ExtremeKernels& k);

void fill(ExtremeKernels& k) {
  k.f32 = kSearches<float>;
  k.f64 = kSearches<double>;
  k.s8 = kSearches<int8_t>;
  k.s16 = kSearches<int16_t>;
  k.s32 = kSearches<int32_t>;
  k.s64 = kSearches<int64_t>;
  k.u8 = kSearches<uint8_t>;
  k.u16 = kSearches<uint16_t>;
  k.u32 = kSearches<uint32_t>;
  k.u64 = kSearches<uint64_t>;
}

}  // namespace linnet::LINNET_SIMD_NS
