#include "kernels/number_unary.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "functions/function_table.h"
#include "functions/number_functions.h"
#include "kernels/kernels_for.h"
#include "kernels/number_unary.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class NumberUnaryKernel : public ::testing::TestWithParam<Isa> {
 protected:
  const NumberUnaryKernels& kernels_ = kernels_for<NumberUnaryKernels>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(, NumberUnaryKernel, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

/// Runs the kernel for all n up to x's size, into separate memory. Elements after the first n must be unchanged.
template <class X, class Y, class F>
void expect_unary_function(NumberFunction kernel, const std::vector<X>& x, F want) {
  for (size_t n = 0; n <= x.size(); ++n) {
    std::vector<Y> y(x.size(), Y(7));
    const void* data[] = {x.data()};
    kernel(data, y.data(), int64_t(n));
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(y[i], i < n ? Y(want(x[i])) : Y(7)) << n << " " << i << " " << +x[i];
  }
}

template <class T>
void expect_integers(const IntegerFunctions& k) {
  std::vector<T> x;
  for (int i = 0; i < 70; ++i) x.push_back(static_cast<T>((i * 37) % 101 - 50));
  x[3] = std::numeric_limits<T>::min();
  x[68] = std::numeric_limits<T>::max();
  x[50] = 0;
  expect_unary_function<T, T>(
      k.abs, x, [](T v) { return static_cast<T>(v < 0 ? uint64_t(0) - uint64_t(int64_t(v)) : uint64_t(v)); });
  expect_unary_function<T, T>(k.sign, x, [](T v) { return v > 0 ? 1 : v < 0 ? -1 : 0; });
}

TEST_P(NumberUnaryKernel, IntegersOfEveryWidth) {
  expect_integers<int8_t>(kernels_.s8);
  expect_integers<int16_t>(kernels_.s16);
  expect_integers<int32_t>(kernels_.s32);
  expect_integers<int64_t>(kernels_.s64);
}

/// Returns special values and their neighbours, repeated beyond the length of any vector.
template <class U>
std::vector<U> codes(U infinity) {
  const U sign = U(U(1) << (8 * sizeof(U) - 1));
  std::vector<U> result;
  for (int i = 0; i < 12; ++i) {
    for (const U code : {U(0), infinity, U(infinity + 1), U(infinity - 1), U(sign - 1), U(1)}) {
      result.push_back(code);
      result.push_back(U(code | sign));
    }
  }
  return result;
}

template <class T, class U>
void expect_kinds(const KindFunctions& k, U infinity) {
  const auto value = [](U code) { return static_cast<double>(static_cast<float>(std::bit_cast<T>(code))); };
  const std::vector<U> x = codes(infinity);
  expect_unary_function<U, uint8_t>(k.nan, x, [&](U v) { return std::isnan(value(v)); });
  const auto infinite = [&](U v) {
    return sizeof(U) == 8 ? std::isinf(std::bit_cast<double>(uint64_t(v))) : std::isinf(value(v));
  };
  const auto negative = [](U v) { return v >> (8 * sizeof(U) - 1) != 0; };
  expect_unary_function<U, uint8_t>(k.infinite, x, infinite);
  expect_unary_function<U, uint8_t>(k.positive_infinite, x, [&](U v) { return infinite(v) && !negative(v); });
  expect_unary_function<U, uint8_t>(k.negative_infinite, x, [&](U v) { return infinite(v) && negative(v); });
}

TEST_P(NumberUnaryKernel, KindsOfFloats) {
  expect_kinds<Half, uint16_t>(kernels_.f16, 0x7c00);
  expect_kinds<BFloat16, uint16_t>(kernels_.bf16, 0x7f80);
  expect_kinds<float, uint32_t>(kernels_.f32, 0x7f800000);
  expect_kinds<double, uint64_t>(kernels_.f64, 0x7ff0000000000000);
}

double ulp(long double value) {
  const double magnitude = std::min(std::abs(double(value)), std::numeric_limits<double>::max());
  if (magnitude < std::numeric_limits<double>::min()) return 0x1p-1074;
  return std::ldexp(1.0, std::ilogb(magnitude) - 52);
}

bool is_within(double got, long double want, double ulps) {
  if (std::isnan(want)) return std::isnan(got);
  if (got == 0 && want == 0 && std::signbit(got) != std::signbit(want)) return false;
  if (std::isinf(got)) return std::abs(want) > 0x1.fffffffffffffp1023L && (got > 0) == (want > 0);
  return double(std::abs(got - want)) <= ulps * ulp(want);
}

std::vector<double> sample() {
  using Limits = std::numeric_limits<double>;
  std::vector<double> x;
  for (const double v : {0.0, Limits::infinity(), Limits::max(), Limits::denorm_min(), Limits::min(), 709.78, 709.79,
                         744.44, 745.2, 708.4, 0.5, 1.5, 2.5, 1.0, 0x1p52, 0x1p51 + 0.5}) {
    x.push_back(v);
    x.push_back(-v);
  }
  x.push_back(Limits::quiet_NaN());
  // The step passes through all exponents, with changing fractions.
  constexpr uint64_t kStep = 0xfffffffffffffull * 31;
  for (uint64_t i = 0; i < 4000; ++i) x.push_back(std::bit_cast<double>(i * kStep));
  for (double v = -30; v < 30; v += 2.003e-3) x.push_back(v);
  for (double v = 0.5; v < 2; v += 1.003e-4) x.push_back(v);
  return x;
}

long double precise(std::string_view name, long double x) {
  if (name == "Abs") return std::fabs(x);
  if (name == "Ceil") return std::ceil(x);
  if (name == "Exp") return std::exp(x);
  if (name == "Floor") return std::floor(x);
  if (name == "Log") return std::log(x);
  if (name == "Neg") return -x;
  if (name == "Reciprocal") return 1 / x;
  if (name == "Relu") return x < 0 ? 0 : x;
  if (name == "Round") return std::rint(x);
  if (name == "Sigmoid") return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  if (name == "Sign") return x > 0 ? 1 : x < 0 ? -1 : x;
  if (name == "Sqrt") return std::sqrt(x);
  if (name == "Square") return x * x;
  if (name == "Acos") return std::acos(x);
  if (name == "Acosh") return std::acosh(x);
  if (name == "Asin") return std::asin(x);
  if (name == "Asinh") return std::asinh(x);
  if (name == "Atan") return std::atan(x);
  if (name == "Atanh") return std::atanh(x);
  if (name == "Cos") return std::cos(x);
  if (name == "Cosh") return std::cosh(x);
  if (name == "Erf") return std::erf(x);
  if (name == "Sin") return std::sin(x);
  if (name == "Sinh") return std::sinh(x);
  if (name == "Tan") return std::tan(x);
  if (name == "Softplus") return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x)));
  if (name == "Tanh") return std::tanh(x);
  ADD_FAILURE() << name << " has no reference";
  return 0;
}

TEST_P(NumberUnaryKernel, DoublesStayWithinTheirErrorBounds) {
  const std::vector<double> x = sample();
  for (const DoubleFunction& f : double_functions()) {
    std::vector<double> y(x.size()), in_place = x;
    const void *data[] = {x.data()}, *own[] = {in_place.data()};
    (kernels_.doubles.*f.kernel)(data, y.data(), int64_t(x.size()));
    (kernels_.doubles.*f.kernel)(own, in_place.data(), int64_t(x.size()));
    int failures = 0;
    for (size_t i = 0; i < x.size() && failures < 3; ++i) {
      const bool same = std::bit_cast<uint64_t>(in_place[i]) == std::bit_cast<uint64_t>(y[i]) || std::isnan(y[i]);
      const long double want = precise(f.name, x[i]);
      if (same && is_within(y[i], want, f.ulps)) continue;
      ++failures;
      ADD_FAILURE() << f.name << "(" << x[i] << ") = " << y[i] << ", expected " << double(want);
    }
  }
}

TEST_P(NumberUnaryKernel, ADoubleBecomesTheSameAtEveryPosition) {
  const std::vector<double> x(40, 1.2345);
  for (const DoubleFunction& f : double_functions()) {
    std::vector<double> y(x.size());
    for (size_t n = 0; n <= x.size(); ++n) {
      y.assign(x.size(), 7);
      const void* data[] = {x.data()};
      (kernels_.doubles.*f.kernel)(data, y.data(), int64_t(n));
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_TRUE(y[i] == (i < n ? y[0] : 7.0) || (i < n && std::isnan(y[0]) && std::isnan(y[i])))
            << f.name << " " << n << " " << i;
      }
    }
  }
}

TEST(NumberFunctions, AreThoseOfTheTable) {
  const Tensor x = Tensor::of<double>({-1.5, 2.5, 0});
  for (const DoubleFunction& f : double_functions()) {
    const UnaryFunction* row = unary_function(f.name);
    ASSERT_TRUE(row) << f.name;
    if (row->since == 0) continue;
    const Tensor y = run_op({std::string(f.name), std::max<int64_t>(row->since, 13)}, {x})[0];
    double want[3];
    row->scalar(DType::kFloat64)(x.raw(), want, 3, 0, 0);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_within(y.data<double>()[i], want[i], 4)) << f.name << " " << i;
  }
}

TEST(NumberFunctions, IsInfKnowsSignsOfHalves) {
  const Tensor x = Tensor::of<Half>({Half(1.0f), Half(-HUGE_VALF), Half(HUGE_VALF)});
  const auto got = [&](int64_t positive, int64_t negative) {
    const Tensor y = run_op({"IsInf", 20, {{"detect_positive", positive}, {"detect_negative", negative}}}, {x})[0];
    return std::vector<bool>(y.data<bool>(), y.data<bool>() + 3);
  };
  EXPECT_EQ(got(1, 1), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(got(0, 1), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(got(1, 0), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(got(0, 0), (std::vector<bool>{false, false, false}));
}

}  // namespace
}  // namespace linnet::testing
