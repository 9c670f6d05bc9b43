#include "kernels/numbers.h"

#include <type_traits>

#include "kernels/independent.h"
#include "kernels/integer_division.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// The following functions have no branches, so that compilers vectorise the loops.

template <class X, class Y, class F>
inline void map_two(const void* const* x, void* y_data, int64_t n, F f) {
  const X *a = static_cast<const X*>(x[0]), *b = static_cast<const X*>(x[1]);
  Y* y = static_cast<Y*>(y_data);
  LINNET_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) y[i] = f(a[i], b[i]);
}

/// Returns the kernel of a captureless function from two X to a Y.
template <class X, class Y, class F>
constexpr NumberFunction of_two(F) {
  return [](const void* const* x, void* y, int64_t n) { map_two<X, Y>(x, y, n, F{}); };
}

/// Returns the forms of a captureless function from two X to a Y.
template <class X, class Y, class F>
constexpr NumberForms forms_of_two(F f) {
  return {of_two<X, Y>(f),
          [](const void* const* x, void* y_data, int64_t n) {
            const X *a = static_cast<const X*>(x[0]), b = *static_cast<const X*>(x[1]);
            Y* y = static_cast<Y*>(y_data);
            LINNET_INDEPENDENT
            for (int64_t i = 0; i < n; ++i) y[i] = F{}(a[i], b);
          },
          [](const void* const* x, void* y_data, int64_t n) {
            const X a = *static_cast<const X*>(x[0]), *b = static_cast<const X*>(x[1]);
            Y* y = static_cast<Y*>(y_data);
            LINNET_INDEPENDENT
            for (int64_t i = 0; i < n; ++i) y[i] = F{}(a, b[i]);
          }};
}

template <class T>
void quotients(const void* const* x, void* y, int64_t n) {
  divide_integers(static_cast<const T*>(x[0]), static_cast<const T*>(x[1]), static_cast<T*>(y), n, fast_quotient<T>,
                  slow_quotient<T>);
}

template <class T>
constexpr NumberFunction quotients() {
  if constexpr (std::is_floating_point_v<T>)
    return nullptr;
  else
    return quotients<T>;
}

/// Divides by one number. The distance of (|a| + 1/2) / b from whole numbers is greater than the error of its product
/// with the rounded reciprocal.
template <class T>
void divide_by_one(const void* const* x, void* y_data, int64_t n) {
  using Float = std::conditional_t<sizeof(T) == 4, double, float>;
  using Bits = std::make_unsigned_t<T>;
  const T* a = static_cast<const T*>(x[0]);
  const T b = *static_cast<const T*>(x[1]);
  T* y = static_cast<T*>(y_data);
  const bool negates = std::is_signed_v<T> && b == T(-1);  // the least number has no negative counterpart
  if (b == 0 || negates) {
    const Bits factor = negates ? Bits(-1) : Bits(0);
    LINNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = T(Bits(uint32_t(Bits(a[i])) * factor));
    return;
  }
  const Float reciprocal = Float(1) / Float(b);
  LINNET_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    const auto dividend = Float(a[i]);
    y[i] = T(int32_t((dividend + (a[i] < 0 ? Float(-0.5) : Float(0.5))) * reciprocal));
  }
}

template <class T>
constexpr NumberFunction quotients_by_one() {
  if constexpr (std::is_floating_point_v<T> || sizeof(T) == 8 || std::is_same_v<T, uint32_t>)
    return nullptr;
  else
    return divide_by_one<T>;
}

template <class T>
constexpr OrderFunctions kOrder{
    forms_of_two<T, uint8_t>([](T a, T b) { return uint8_t(a < b); }),
    forms_of_two<T, uint8_t>([](T a, T b) { return uint8_t(a <= b); }),
    forms_of_two<T, uint8_t>([](T a, T b) { return uint8_t(a == b); }),
    of_two<T, T>([](T a, T b) { return (a > b) | (a != a) ? a : b; }),
    of_two<T, T>([](T a, T b) { return (a < b) | (a != a) ? a : b; }),
    quotients<T>(),
    quotients_by_one<T>(),
};

template <class T>
inline void select(const void* const* x, void* y_data, int64_t n) {
  const auto* condition = static_cast<const uint8_t*>(x[0]);
  const T *a = static_cast<const T*>(x[1]), *b = static_cast<const T*>(x[2]);
  T* y = static_cast<T*>(y_data);
  LINNET_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    const T u = a[i], v = b[i];
    y[i] = condition[i] ? u : v;
  }
}

template <class U>
void multiply_add(const void* a, const void* b_data, void* y_data, int64_t n) {
  using Wide = std::common_type_t<U, unsigned>;  // uint16 would otherwise be promoted to int
  const Wide factor = *static_cast<const U*>(a);
  const U* __restrict b = static_cast<const U*>(b_data);
  U* __restrict y = static_cast<U*>(y_data);
  for (int64_t i = 0; i < n; ++i) y[i] = U(y[i] + factor * b[i]);
}

void multiply_add_rows_f64(const double* a, int64_t a_pitch, const double* __restrict b, double* y, int64_t y_pitch,
                           int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    const double factor = a[r * a_pitch];
    double* __restrict row = y + r * y_pitch;
    for (int64_t i = 0; i < n; ++i) row[i] += factor * b[i];
  }
}

template <class U>
void invert(const void* const* x, void* y_data, int64_t n) {
  const U* a = static_cast<const U*>(x[0]);
  U* y = static_cast<U*>(y_data);
  LINNET_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) y[i] = U(~a[i]);
}

/// The functions for the unsigned type U.
template <class U>
constexpr WidthFunctions kWidth{
    of_two<U, U>([](U a, U b) { return U(a + b); }),
    of_two<U, U>([](U a, U b) { return U(a - b); }),
    // Multiplies as unsigned, since uint16 would otherwise be promoted to int.
    of_two<U, U>([](U a, U b) { return U(std::common_type_t<U, unsigned>(a) * b); }),
    select<U>,
    invert<U>,
    of_two<U, U>([](U a, U b) { return b < 8 * sizeof(U) ? U(std::common_type_t<U, unsigned>(a) << b) : U(0); }),
    of_two<U, U>([](U a, U b) { return b < 8 * sizeof(U) ? U(a >> b) : U(0); }),
    multiply_add<U>,
};

void not_bool(const void* const* x, void* y_data, int64_t n) {
  const auto* a = static_cast<const uint8_t*>(x[0]);
  auto* y = static_cast<uint8_t*>(y_data);
  LINNET_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] == 0 ? 1 : 0;
}

}  // namespace

void fill(NumberKernels& k);

void fill(NumberKernels& k) {
  k.f32 = kOrder<float>;
  k.f64 = kOrder<double>;
  k.s8 = kOrder<int8_t>;
  k.s16 = kOrder<int16_t>;
  k.s32 = kOrder<int32_t>;
  k.s64 = kOrder<int64_t>;
  k.u8 = kOrder<uint8_t>;
  k.u16 = kOrder<uint16_t>;
  k.u32 = kOrder<uint32_t>;
  k.u64 = kOrder<uint64_t>;
  k.bits8 = kWidth<uint8_t>;
  k.bits16 = kWidth<uint16_t>;
  k.bits32 = kWidth<uint32_t>;
  k.bits64 = kWidth<uint64_t>;
  k.add_f64 = of_two<double, double>([](double a, double b) { return a + b; });
  k.sub_f64 = of_two<double, double>([](double a, double b) { return a - b; });
  k.mul_f64 = of_two<double, double>([](double a, double b) { return a * b; });
  k.div_f64 = of_two<double, double>([](double a, double b) { return a / b; });
  k.multiply_add_rows_f64 = multiply_add_rows_f64;
  using B = uint8_t;
  k.and_bools = of_two<B, B>([](B a, B b) { return B((a != 0) & (b != 0)); });
  k.or_bools = of_two<B, B>([](B a, B b) { return B((a | b) != 0); });
  k.xor_bools = of_two<B, B>([](B a, B b) { return B((a != 0) != (b != 0)); });
  k.equal_bools = forms_of_two<B, B>([](B a, B b) { return B((a != 0) == (b != 0)); });
  k.not_bool = not_bool;
}

}  // namespace linnet::LINNET_SIMD_NS
