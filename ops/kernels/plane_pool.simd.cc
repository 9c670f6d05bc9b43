#include "kernels/plane_pool.h"

#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/byte_vectors.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <class T>
constexpr int kLanesOf = int(4 * kLanes / sizeof(T));
template <class T, int kWidth = kLanesOf<T>>
using Vector = typename VectorOf<T, kWidth>::Type;

template <int kWidth, class T>
inline Vector<T, kWidth> load_lanes(const T* x) {
  Vector<T, kWidth> v;
  std::memcpy(&v, x, sizeof v);
  return v;
}
template <class T>
inline Vector<T> load_vector(const T* x) {
  return load_lanes<kLanesOf<T>>(x);
}
template <class T, class V>
inline void store_vector(T* y, V v) {
  std::memcpy(y, &v, sizeof v);
}

template <class T, int... Lane>
inline Vector<T> even_lanes(Vector<T> a, Vector<T> b, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(a, b, (2 * Lane)...);
}

/// Loads every element, or every second one.
template <int kStride, class T>
inline Vector<T> load_every(const T* x) {
  if constexpr (kStride == 1) return load_vector(x);
  constexpr int kWidth = kLanesOf<T>;
  return even_lanes<T>(load_vector(x), load_vector(x + kWidth), std::make_integer_sequence<int, kWidth>());
}

/// Loads elements that are `stride` apart.
template <class T>
inline Vector<T> load_apart(const T* x, int64_t stride) {
  T lane[kLanesOf<T>];
  for (int i = 0; i < kLanesOf<T>; ++i) lane[i] = x[i * stride];
  return load_vector(lane);
}

template <class T>
struct Max {
  static constexpr T kNeutral =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  /// V: numbers or vectors. at(t) returns value t < count; count is at least 1. Count: int64_t or a constant.
  template <class V, class Count, class At>
  static V reduce(Count count, const At& at) {
    V best = at(0);
    for (int64_t t = 1; t < count; ++t) {
      const V x = at(t), larger = x > best ? x : best;
      if constexpr (std::numeric_limits<T>::has_infinity)
        best = x != x ? x : larger;
      else
        best = larger;
    }
    return best;
  }
};

struct Sum {
  static constexpr float kNeutral = 0;
  /// Long sums are taken in blocks, so that the rounding error grows only with the number of blocks and their length.
  static constexpr int64_t kBlock = 64;

  template <class V, class Count, class At>
  static V reduce(Count count, const At& at) {
    if constexpr (!std::is_same_v<Count, int64_t>) {
      V sum = at(0);
      for (int64_t t = 1; t < count; ++t) sum += at(t);
      return sum;
    }
    V total{};
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t end = begin + kBlock < count ? begin + kBlock : count;
      V sum = at(begin);
      for (int64_t t = begin + 1; t < end; ++t) sum += at(t);
      total += sum;
    }
    return total;
  }
};

/// Calls f(count), with the usual counts as constants.
template <class F>
inline void with_count(int64_t count, const F& f) {
  if (count == 2) return f(std::integral_constant<int64_t, 2>());
  if (count == 3) return f(std::integral_constant<int64_t, 3>());
  if (count == 5) return f(std::integral_constant<int64_t, 5>());
  f(count);
}

/// Joins the lines of a window to one, in vectors of kWidth elements, or of fewer where lines are shorter.
template <class Reduction, int kWidth, class T, class Count>
inline void join_elements(const T* x, const int64_t* taps, Count count, int64_t elements, T* to) {
  if (elements < kWidth) {
    if constexpr (kWidth > 1) join_elements<Reduction, kWidth / 2>(x, taps, count, elements, to);
    return;
  }
  constexpr bool kFixed = !std::is_same_v<Count, int64_t>;
  int64_t few[kFixed ? 5 : 1];  // in registers
  if constexpr (kFixed)
    for (int64_t t = 0; t < count; ++t) few[t] = taps[t];
  const int64_t* lines = kFixed ? few : taps;
  const auto join = [&](int64_t i) {
    if constexpr (kWidth == 1) {
      to[i] = Reduction::template reduce<T>(count, [&](int64_t t) { return x[lines[t] + i]; });
    } else {
      const auto at = [&](int64_t t) { return load_lanes<kWidth>(x + lines[t] + i); };
      store_vector(to + i, Reduction::template reduce<Vector<T, kWidth>>(count, at));
    }
  };
  int64_t i = 0;
  for (; i + kWidth <= elements; i += kWidth) join(i);
  if (i < elements) join(elements - kWidth);
}

/// Writes the padding in whole vectors. What these write beyond the padding is overwritten later.
template <class Reduction, class T>
void pad_lines(const PlaneColumns& s, int64_t count, T* line) {
  const Vector<T> neutral = Vector<T>{} + Reduction::kNeutral;
  for (const T* end = line + count * s.padded; line != end; line += s.padded) {
    for (int64_t i = 0; i < s.pad; i += kLanesOf<T>) store_vector(line + i, neutral);
    for (int64_t i = s.pad + s.in; i < s.padded; i += kLanesOf<T>) store_vector(line + i, neutral);
  }
}

/// Computes the lines between their padding.
template <class Reduction, class T>
inline void join_lines(const PlaneColumns& s, const T* x, const int64_t* taps, int64_t count, T* line) {
  T* to = line + s.pad;
  if (count > 0) return with_count(count, [&](auto n) { join_elements<Reduction, kLanesOf<T>>(x, taps, n, s.in, to); });
  for (int64_t i = 0; i < s.in; ++i) to[i] = Reduction::kNeutral;
}

/// Joins the columns of windows that are kStride (1 or 2) columns apart to one row of y. `room` elements of y may be
/// written.
template <class Reduction, int kStride, class T, class Count, class Finish>
inline void join_columns(const PlaneColumns& s, Count kernel, const T* line, int64_t room, T* y, const Finish& finish) {
  constexpr int kWidth = kLanesOf<T>;
  const auto vector = [&](int64_t column) {
    const T* first = line + column * kStride;
    const auto at = [&](int64_t k) { return load_every<kStride>(first + k * s.dilation); };
    return finish(Reduction::template reduce<Vector<T>>(kernel, at), column);
  };
  const int64_t whole = s.out + kWidth <= room ? s.out : s.out - kWidth + 1;
  int64_t i = 0;
  for (; i < whole; i += kWidth) store_vector(y + i, vector(i));
  if (i >= s.out) return;
  if (s.out >= kWidth) return store_vector(y + s.out - kWidth, vector(s.out - kWidth));
  T rest[kWidth];
  store_vector(rest, vector(0));
  for (int64_t j = 0; j < s.out; ++j) y[j] = rest[j];
}

/// The same for windows any number of columns apart.
template <class Reduction, class T, class Finish>
inline void join_columns_apart(const PlaneColumns& s, const T* line, T* y, const Finish& finish) {
  constexpr int kWidth = kLanesOf<T>;
  int64_t column = 0;
  for (; column + kWidth <= s.out; column += kWidth) {
    const T* first = line + column * s.stride;
    const auto at = [&](int64_t k) { return load_apart(first + k * s.dilation, s.stride); };
    store_vector(y + column, finish(Reduction::template reduce<Vector<T>>(s.kernel, at), column));
  }
  for (; column < s.out; ++column) {
    const T* first = line + column * s.stride;
    y[column] =
        finish(Reduction::template reduce<T>(s.kernel, [&](int64_t k) { return first[k * s.dilation]; }), column);
  }
}

/// Calls finish_at(reduced window or vector of windows, row, column). Stored elements are not read immediately, since
/// loads that overlap several stores wait for them.
template <class Reduction, class T, class Finish>
inline void pool(const PlaneColumns& s, const PlaneRows<T>& p, T* y, const Finish& finish_at) {
  const int64_t all = p.planes * p.rows;
  T* to = p.lines;
  for (int64_t plane = 0; plane < p.planes; ++plane) {
    const T* x = p.x + plane * p.plane_pitch;
    const int64_t* taps = p.taps;
    for (int64_t r = 0; r < p.rows; taps += p.counts[r++], to += s.padded)
      join_lines<Reduction>(s, x, taps, p.counts[r], to);
  }
  with_count(s.kernel, [&](auto kernel) {
    for (int64_t r = 0, row = 0; r < all; ++r, row = row + 1 < p.rows ? row + 1 : 0) {
      const T* line = p.lines + r * s.padded;
      const auto finish = [&](auto reduced, int64_t column) { return finish_at(reduced, row, column); };
      if (s.stride == 1)
        join_columns<Reduction, 1>(s, kernel, line, (all - r) * s.out, y + r * s.out, finish);
      else if (s.stride == 2)
        join_columns<Reduction, 2>(s, kernel, line, (all - r) * s.out, y + r * s.out, finish);
      else
        join_columns_apart<Reduction>(s, line, y + r * s.out, finish);
    }
  });
}

template <class T>
constexpr PlaneMaxKernels<T> kMax{pad_lines<Max<T>, T>, [](const PlaneColumns& s, const PlaneRows<T>& rows, T* y) {
                                    pool<Max<T>>(s, rows, y, [](auto best, int64_t, int64_t) { return best; });
                                  }};

void mean_f32(const PlaneColumns& s, const PlaneRows<float>& rows, const float* shares, const int64_t* first_share,
              float* y) {
  pool<Sum>(s, rows, y, [&]<class V>(V sum, int64_t row, int64_t column) -> V {
    V share;
    std::memcpy(&share, shares + first_share[row] + column, sizeof share);
    return sum * share;
  });
}

}  // namespace

void fill(PlanePoolKernels& kernels);
void fill(PlanePoolKernels& kernels) {
  kernels.max_f32 = kMax<float>;
  kernels.max_f64 = kMax<double>;
  kernels.max_u8 = kMax<uint8_t>;
  kernels.max_s8 = kMax<int8_t>;
  kernels.pad_mean_f32 = pad_lines<Sum, float>;
  kernels.mean_f32 = mean_f32;
}

}  // namespace linnet::LINNET_SIMD_NS
