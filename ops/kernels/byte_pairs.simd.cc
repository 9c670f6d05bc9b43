#include "kernels/byte_pairs.h"

#include "kernels/byte_grid.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

inline float magnitude(float x) { return x < 0 ? -x : x; }

/// The operation on two bytes: exactly as defined, in floats, and approximately, in units of y's scale. `error` is the
/// largest difference between the two.
template <class T>
struct Pair {
  Grid<T> a, b, y;
};

template <class T>
struct Sum : Pair<T> {
  F32 a_factor, b_factor, shift;
  float error;

  Sum(const Pair<T>& grids, const BytePair& p) : Pair<T>(grids) {
    const float of_a = p.a_scale / p.y_scale, of_b = p.b_scale / p.y_scale;
    a_factor = F32(of_a);
    b_factor = F32(of_b);
    shift = F32(float(-double(of_a) * double(p.a_zero_point) - double(of_b) * double(p.b_zero_point)));
    // The rounding errors of parts of the largest sum: at most twelve times 2^-24 of it.
    error = 255.0f * (magnitude(of_a) + magnitude(of_b)) * 0x1p-20f;
  }
  F32 near(F32 from_a, F32 from_b) const { return xsimd::fma(from_a, a_factor, xsimd::fma(from_b, b_factor, shift)); }
  static F32 exact(F32 x, F32 with) { return x + with; }
};

template <class T>
struct Product : Pair<T> {
  F32 factor;
  float error;

  Product(const Pair<T>& grids, const BytePair& p) : Pair<T>(grids) {
    const float of_both = p.a_scale / p.y_scale * p.b_scale;
    factor = F32(of_both);
    error = 65025.0f * magnitude(of_both) * 0x1p-20f;
  }
  F32 near(F32 from_a, F32 from_b) const {
    return (from_a - this->a.zero_point) * (from_b - this->b.zero_point) * factor;
  }
  static F32 exact(F32 x, F32 with) { return x * with; }
};

template <class Operation, class T>
inline I32 exactly(const Operation& f, const T* a, const T* b) {
  return divided(Operation::exact(dequantized(a, f.a), dequantized(b, f.b)), f.y);
}

template <class Operation, class T>
inline void compute_exactly(const Operation& f, const T* a, const T* b, T* y, int64_t n) {
  for_vectors(
      n, [&](int64_t i) { narrow(exactly(f, a + i, b + i), y + i); },
      [&](int64_t i, size_t count) {
        T last_a[kLanes] = {}, last_b[kLanes] = {}, last_y[kLanes];
        std::memcpy(last_a, a + i, count);
        std::memcpy(last_b, b + i, count);
        narrow(exactly(f, last_a, last_b), last_y);
        std::memcpy(y + i, last_y, count);
      });
}

inline bool is_moderate(float scale) { return magnitude(scale) > 0x1p-40f && magnitude(scale) < 0x1p40f; }

/// Computes approximately, like quantize(), and exactly only where the approximation may give another integer.
template <template <class> class Operation, class T>
void compute(const void* from_a, const void* from_b, void* to, int64_t n, const BytePair& p) {
  const T *a = static_cast<const T*>(from_a), *b = static_cast<const T*>(from_b);
  T* y = static_cast<T*>(to);
  const Operation<T> f({{F32(p.a_scale), F32(p.a_zero_point)},
                        {F32(p.b_scale), F32(p.b_zero_point)},
                        {F32(p.y_scale), F32(p.y_zero_point)}},
                       p);
  int64_t i = 0;
  if (is_moderate(p.a_scale) && is_moderate(p.b_scale) && is_moderate(p.y_scale) && f.error < 0.25f) {
    const F32 near_middle(0.5f - f.error);
    for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
      F32 near[kVectors];
      LINNET_UNROLL
      for (int k = 0; k < kVectors; ++k) {
        const int64_t at = i + k * kLanes;
        near[k] = f.near(xsimd::to_float(widen(a + at)), xsimd::to_float(widen(b + at)));
      }
      T bytes[kVectors * kLanes];  // a buffer, as y may be a or b
      if (round_four(near, near_middle, p.y_zero_point, bytes)) {
        std::memcpy(y + i, bytes, sizeof bytes);
      } else {
        compute_exactly(f, a + i, b + i, y + i, kVectors * kLanes);
      }
    }
  }
  compute_exactly(f, a + i, b + i, y + i, n - i);
}

}  // namespace

void fill(BytePairKernels& kernels);
void fill(BytePairKernels& kernels) {
  kernels.u8 = {compute<Sum, uint8_t>, compute<Product, uint8_t>};
  kernels.s8 = {compute<Sum, int8_t>, compute<Product, int8_t>};
}

}  // namespace linnet::LINNET_SIMD_NS
