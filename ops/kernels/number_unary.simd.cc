#include "kernels/number_unary.h"

#include <type_traits>

#include "kernels/double_trigonometric.h"
#include "kernels/independent.h"
#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Returns the kernel of a captureless function from X to Y without branches, so that compilers vectorise the loop.
template <class X, class Y = X, class F>
constexpr NumberFunction of_one(F) {
  return [](const void* const* x_data, void* y_data, int64_t n) {
    const X* x = static_cast<const X*>(x_data[0]);
    Y* y = static_cast<Y*>(y_data);
    LINNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = F{}(x[i]);
  };
}

/// U: an unsigned type. All bits above those of kInfinity are the sign.
template <class U, U kInfinity>
constexpr KindFunctions kKinds{
    of_one<U, uint8_t>([](U x) { return uint8_t(U(x & U(U(~U(0)) >> 1)) > kInfinity); }),
    of_one<U, uint8_t>([](U x) { return uint8_t(U(x & U(U(~U(0)) >> 1)) == kInfinity); }),
    of_one<U, uint8_t>([](U x) { return uint8_t(x == kInfinity); }),
    of_one<U, uint8_t>([](U x) { return uint8_t(x == U(kInfinity | U(U(~U(0)) << (8 * sizeof(U) - 1)))); }),
};

template <class T>
constexpr IntegerFunctions kIntegers{
    of_one<T>([](T x) {
      using U = std::make_unsigned_t<T>;
      return T(x < 0 ? U(U(0) - U(x)) : U(x));
    }),
    of_one<T>([](T x) { return T(T(x > 0) - T(x < 0)); }),
};

/// Computes angles in blocks. Angles that cannot be reduced without branches are computed one by one.
template <class Function>
void trigonometric(const void* const* x_data, void* y_data, int64_t n) {
  constexpr int64_t kBlock = 64;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = n - begin < kBlock ? n - begin : kBlock;
    double x[kBlock] = {}, y[kBlock];
    __builtin_memcpy(x, static_cast<const double*>(x_data[0]) + begin, size_t(count) * sizeof(double));
    bool all_near = true;
    for (int64_t i = 0; i < kBlock; ++i) all_near &= magnitude_of(x[i]) < kMostDoubleAngle;
    for (int64_t i = 0; i < kBlock; ++i) y[i] = Function::near(x[i]);
    for (int64_t i = 0; i < count && !all_near; ++i) {
      if (!(magnitude_of(x[i]) < kMostDoubleAngle)) y[i] = Function::far(x[i]);
    }
    __builtin_memcpy(static_cast<double*>(y_data) + begin, y, size_t(count) * sizeof(double));
  }
}

constexpr DoubleFunctions kDoubles{
    .abs = of_one<double>([](double x) { return magnitude_of(x); }),
    .acos = of_one<double>([](double x) { return double_acos(x); }),
    .acosh = of_one<double>([](double x) { return double_acosh(x); }),
    .asin = of_one<double>([](double x) { return double_asin(x); }),
    .asinh = of_one<double>([](double x) { return double_asinh(x); }),
    .atan = of_one<double>([](double x) { return double_atan(x); }),
    .atanh = of_one<double>([](double x) { return double_atanh(x); }),
    .ceil = of_one<double>([](double x) { return __builtin_ceil(x); }),
    .cos = trigonometric<DoubleCos>,
    .cosh = of_one<double>([](double x) { return double_cosh(x); }),
    .cube = of_one<double>([](double x) { return x * x * x; }),
    .erf = of_one<double>([](double x) { return double_erf(x); }),
    .exp = of_one<double>([](double x) { return double_exp(x); }),
    .floor = of_one<double>([](double x) { return __builtin_floor(x); }),
    .log = of_one<double>([](double x) { return double_log(x); }),
    .neg = of_one<double>([](double x) { return -x; }),
    .reciprocal = of_one<double>([](double x) { return 1.0 / x; }),
    .relu = of_one<double>([](double x) { return x < 0.0 ? 0.0 : x; }),
    .round = of_one<double>([](double x) { return __builtin_rint(x); }),
    .sigmoid = of_one<double>([](double x) { return double_sigmoid(x); }),
    .sign = of_one<double>([](double x) { return magnitude_of(x) > 0.0 ? with_sign(1.0, x) : x; }),
    .sin = trigonometric<DoubleSin>,
    .sinh = of_one<double>([](double x) { return double_sinh(x); }),
    .softplus = of_one<double>([](double x) { return double_softplus(x); }),
    .sqrt = of_one<double>([](double x) { return __builtin_sqrt(x); }),
    .square = of_one<double>([](double x) { return x * x; }),
    .tan = trigonometric<DoubleTan>,
    .tanh = of_one<double>([](double x) { return double_tanh(x); }),
};

}  // namespace

void fill(NumberUnaryKernels& k);

void fill(NumberUnaryKernels& k) {
  k.f16 = kKinds<uint16_t, 0x7c00>;
  k.bf16 = kKinds<uint16_t, 0x7f80>;
  k.f32 = kKinds<uint32_t, 0x7f800000>;
  k.f64 = kKinds<uint64_t, 0x7ff0000000000000>;
  k.s8 = kIntegers<int8_t>;
  k.s16 = kIntegers<int16_t>;
  k.s32 = kIntegers<int32_t>;
  k.s64 = kIntegers<int64_t>;
  k.doubles = kDoubles;
}

}  // namespace linnet::LINNET_SIMD_NS
