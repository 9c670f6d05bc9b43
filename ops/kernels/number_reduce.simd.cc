#include "kernels/number_reduce.h"

#include "kernels/byte_vectors.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// The following functions have no branches, so that compilers vectorise the loops.

/// T: double, or uint64_t for the bits of int64, which wrap; or vectors of them.
template <class T>
inline T magnitude(T x) {
  if constexpr (requires { x >> 63; })
    return (x >> 63) != 0 ? T{} - x : x;
  else
    return x < 0 ? T{} - x : x;
}

// The reductions: how each maps a value, and how it joins values and partial results.

struct Sum {
  static constexpr bool kJoinsAgain = false;  ///< whether a value may count twice
  template <class T>
  static T term(T x) {
    return x;
  }
  template <class T>
  static T join(T a, T b) {
    return a + b;
  }
};
struct SumAbs : Sum {
  template <class T>
  static T term(T x) {
    return magnitude(x);
  }
};
struct SumSquare : Sum {
  template <class T>
  static T term(T x) {
    return x * x;
  }
};
struct Product : Sum {
  template <class T>
  static T join(T a, T b) {
    return a * b;
  }
};
struct Max : Sum {
  static constexpr bool kJoinsAgain = true;
  template <class T>
  static T join(T best, T x) {
    return ((x > best) | (x != x)) ? x : best;
  }
};
struct Min : Sum {
  static constexpr bool kJoinsAgain = true;
  template <class T>
  static T join(T best, T x) {
    return ((x < best) | (x != x)) ? x : best;
  }
};

template <class R, class T>
void columns(const void* x_data, int64_t rows, int64_t pitch, int64_t columns, void* total_data) {
  const T* __restrict a = static_cast<const T*>(x_data);
  T* __restrict total = static_cast<T*>(total_data);
  const auto add = [](T sum, T x) { return R::join(sum, R::term(x)); };
  for (; rows >= 4; rows -= 4, a += 4 * pitch) {
    const T *b = a + pitch, *c = b + pitch, *d = c + pitch;
    for (int64_t i = 0; i < columns; ++i) total[i] = add(add(add(add(total[i], a[i]), b[i]), c[i]), d[i]);
  }
  for (; rows > 0; --rows, a += pitch) {
    for (int64_t i = 0; i < columns; ++i) total[i] = add(total[i], a[i]);
  }
}

/// The bytes of the partial results of a row, equal on every instruction set.
constexpr int64_t kPartBytes = 256;

template <class R, class T>
void row(const void* x_data, int64_t n, void* total_data) {
  using Vector = typename VectorOf<T, int(4 * kLanes / sizeof(T))>::Type;
  constexpr int kVectors = int(kPartBytes / sizeof(Vector));
  constexpr int64_t kWidth = kPartBytes / sizeof(T);
  const T* x = static_cast<const T*>(x_data);
  T total = *static_cast<T*>(total_data);
  if (n >= kWidth) {
    const auto term = [&](int v) {
      Vector value;
      __builtin_memcpy(&value, x + v * int(sizeof(Vector) / sizeof(T)), sizeof value);
      return R::term(value);
    };
    Vector vectors[kVectors];
    LINNET_UNROLL for (int v = 0; v < kVectors; ++v) vectors[v] = term(v);
    for (x += kWidth, n -= kWidth; n >= kWidth; x += kWidth, n -= kWidth) {
      LINNET_UNROLL for (int v = 0; v < kVectors; ++v) vectors[v] = R::join(vectors[v], term(v));
    }
    if constexpr (R::kJoinsAgain) {
      x += n - kWidth;
      LINNET_UNROLL for (int v = 0; n > 0 && v < kVectors; ++v) vectors[v] = R::join(vectors[v], term(v));
    } else {
      T part[kWidth];
      __builtin_memcpy(part, vectors, kPartBytes);
      for (int64_t j = 0; j < n; ++j) part[j] = R::join(part[j], R::term(x[j]));
      __builtin_memcpy(vectors, part, kPartBytes);
    }
    LINNET_UNROLL for (int width = kVectors / 2; width > 0; width /= 2) {
      LINNET_UNROLL for (int v = 0; v < width; ++v) vectors[v] = R::join(vectors[v], vectors[v + width]);
    }
    total = R::join(
        total, join_elements<int(4 * kLanes / sizeof(T))>(vectors[0], [](auto a, auto b) { return R::join(a, b); }));
    n = 0;
  }
  for (int64_t i = 0; i < n; ++i) total = R::join(total, R::term(x[i]));
  *static_cast<T*>(total_data) = total;
}

template <class R, class T>
constexpr NumberReduction kReduction{columns<R, T>, row<R, T>};

template <class T>
constexpr NumberSums kSums{kReduction<Sum, T>, kReduction<SumAbs, T>, kReduction<SumSquare, T>, kReduction<Product, T>};

template <class T>
constexpr NumberExtremes kExtremes{kReduction<Max, T>, kReduction<Min, T>};

}  // namespace

void fill(NumberReduceKernels& k);

void fill(NumberReduceKernels& k) {
  k.sums_f64 = kSums<double>;
  k.sums_s64 = kSums<uint64_t>;
  k.f32 = kExtremes<float>;
  k.f64 = kExtremes<double>;
  k.s8 = kExtremes<int8_t>;
  k.s16 = kExtremes<int16_t>;
  k.s32 = kExtremes<int32_t>;
  k.s64 = kExtremes<int64_t>;
  k.u8 = kExtremes<uint8_t>;
  k.u16 = kExtremes<uint16_t>;
  k.u32 = kExtremes<uint32_t>;
  k.u64 = kExtremes<uint64_t>;
}

}  // namespace linnet::LINNET_SIMD_NS
