#include "kernels/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class NumbersKernel : public ::testing::TestWithParam<Isa> {
 protected:
  const NumberKernels& kernels_ = kernels_for<NumberKernels>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(, NumbersKernel, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

constexpr size_t kOperandSize = 150;

/// Returns small numbers, many of them equal, the bounds of the type and, for floats, zeros of both signs, NaN and
/// infinity.
template <class T>
std::vector<T> operand(size_t seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> special{Limits::lowest(), Limits::max(), T(0), T(1)};
  if constexpr (std::is_floating_point_v<T>) {
    for (const T value : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(-0.0)}) {
      special.push_back(value);
    }
  }
  std::vector<T> x;
  for (size_t i = 0; i < kOperandSize; ++i) {
    const size_t draw = (i * 2654435761u + seed * 40503u) >> 7;
    x.push_back(i % 3 == 0 ? special[draw % special.size()] : static_cast<T>(int64_t(draw % 7) - 3));
  }
  return x;
}

template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

/// Runs the kernel for all n up to kOperandSize, into separate memory and, if elements have the same width, in place.
/// Elements after the first n must be unchanged.
template <class T, class Y, class F>
void expect_binary_function(NumberFunction kernel, F want) {
  const std::vector<T> a = operand<T>(1), b = operand<T>(2);
  for (size_t n = 0; n < kOperandSize; ++n) {
    std::vector<Y> y(kOperandSize, Y(1));
    const void* x[] = {a.data(), b.data()};
    kernel(x, y.data(), int64_t(n));
    std::vector<T> in_place = a;
    if constexpr (std::is_same_v<T, Y>) {
      const void* own[] = {in_place.data(), b.data()};
      kernel(own, in_place.data(), int64_t(n));
    }
    for (size_t i = 0; i < kOperandSize; ++i) {
      const Y expected = i < n ? Y(want(a[i], b[i])) : Y(1);
      ASSERT_TRUE(same(y[i], expected)) << n << " " << i << ": " << +y[i] << " for " << +a[i] << ", " << +b[i];
      if constexpr (std::is_same_v<T, Y>) {
        ASSERT_TRUE(same(in_place[i], i < n ? expected : a[i])) << n << " " << i;
      }
    }
  }
}

/// The same for all forms, with each of some values as the scalar.
template <class T, class F>
void expect_forms(const NumberForms& forms, F want) {
  expect_binary_function<T, uint8_t>(forms.vector_vector, want);
  const std::vector<T> a = operand<T>(1), scalars = operand<T>(2);
  for (size_t n = 0; n < kOperandSize; ++n) {
    const T& scalar = scalars[n];
    std::vector<uint8_t> left(kOperandSize, 7), right(kOperandSize, 7);
    const void *right_operands[] = {a.data(), &scalar}, *left_operands[] = {&scalar, a.data()};
    forms.vector_scalar(right_operands, right.data(), int64_t(n));
    forms.scalar_vector(left_operands, left.data(), int64_t(n));
    for (size_t i = 0; i < kOperandSize; ++i) {
      ASSERT_EQ(right[i], i < n ? uint8_t(want(a[i], scalar)) : 7) << n << " " << i;
      ASSERT_EQ(left[i], i < n ? uint8_t(want(scalar, a[i])) : 7) << n << " " << i;
    }
  }
}

template <class T>
void expect_order(const OrderFunctions& k) {
  expect_forms<T>(k.less, [](T a, T b) { return a < b; });
  expect_forms<T>(k.less_equal, [](T a, T b) { return a <= b; });
  expect_forms<T>(k.equal, [](T a, T b) { return a == b; });
  const auto extreme = [](T a, T b, bool first) { return a != a ? a : b != b ? b : first ? a : b; };
  expect_binary_function<T, T>(k.max, [=](T a, T b) { return extreme(a, b, a > b); });
  expect_binary_function<T, T>(k.min, [=](T a, T b) { return extreme(a, b, a < b); });
}

template <class T>
void expect_quotients(const OrderFunctions& k) {
  expect_binary_function<T, T>(k.quotient, [](T a, T b) { return b == 0 ? T(0) : T(__int128(a) / __int128(b)); });
}

template <class T>
void expect_width(const WidthFunctions& k) {
  using U = std::make_unsigned_t<T>;
  const auto wide = [](T v) { return __int128(v); };
  expect_binary_function<T, T>(k.add, [=](T a, T b) { return T(U(wide(a) + wide(b))); });
  expect_binary_function<T, T>(k.sub, [=](T a, T b) { return T(U(wide(a) - wide(b))); });
  expect_binary_function<T, T>(k.mul, [=](T a, T b) { return T(U(U(a) * (unsigned __int128)(U(b)))); });
}

template <class U>
void expect_bits(const WidthFunctions& k) {
  constexpr int kBits = std::numeric_limits<U>::digits;
  expect_binary_function<U, U>(k.invert, [](U a, U) { return U(~a); });
  for (size_t n = 0; n < kOperandSize; ++n) {
    std::vector<U> x = operand<U>(1), by(kOperandSize), left(kOperandSize, 1), right(kOperandSize, 1);
    for (size_t i = 0; i < kOperandSize; ++i) by[i] = i % 5 == 4 ? operand<U>(2)[i] : U(i * 7 % size_t(kBits + 3));
    const void* operands[] = {x.data(), by.data()};
    k.shift_left(operands, left.data(), int64_t(n));
    k.shift_right(operands, right.data(), int64_t(n));
    for (size_t i = 0; i < kOperandSize; ++i) {
      const bool inside = by[i] < U(kBits);
      const auto bits = (unsigned __int128)(x[i]);
      ASSERT_EQ(left[i], i >= n ? U(1) : inside ? U(bits << by[i]) : U(0)) << +x[i] << " by " << +by[i];
      ASSERT_EQ(right[i], i >= n ? U(1) : inside ? U(bits >> by[i]) : U(0)) << +x[i] << " by " << +by[i];
    }
  }
}

TEST_P(NumbersKernel, InvertsAndShiftsBits) {
  expect_bits<uint8_t>(kernels_.bits8);
  expect_bits<uint16_t>(kernels_.bits16);
  expect_bits<uint32_t>(kernels_.bits32);
  expect_bits<uint64_t>(kernels_.bits64);
}

TEST_P(NumbersKernel, OrdersNumbersOfEveryType) {
  expect_order<float>(kernels_.f32);
  expect_order<double>(kernels_.f64);
  expect_order<int8_t>(kernels_.s8);
  expect_order<int16_t>(kernels_.s16);
  expect_order<int32_t>(kernels_.s32);
  expect_order<int64_t>(kernels_.s64);
  expect_order<uint8_t>(kernels_.u8);
  expect_order<uint16_t>(kernels_.u16);
  expect_order<uint32_t>(kernels_.u32);
  expect_order<uint64_t>(kernels_.u64);
}

TEST_P(NumbersKernel, QuotientsAreRoundedTowardsZero) {
  expect_quotients<int8_t>(kernels_.s8);
  expect_quotients<int16_t>(kernels_.s16);
  expect_quotients<int32_t>(kernels_.s32);
  expect_quotients<int64_t>(kernels_.s64);
  expect_quotients<uint8_t>(kernels_.u8);
  expect_quotients<uint16_t>(kernels_.u16);
  expect_quotients<uint32_t>(kernels_.u32);
  expect_quotients<uint64_t>(kernels_.u64);
}

/// Tests all short numbers, and longer ones whose quotient is just below a whole number.
TEST_P(NumbersKernel, QuotientsAreExact) {
  const auto expect = [&]<class T>(const OrderFunctions& k, const std::vector<T>& a, const std::vector<T>& b) {
    std::vector<T> y(a.size());
    const void* x[] = {a.data(), b.data()};
    k.quotient(x, y.data(), int64_t(y.size()));
    for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], T(int64_t(a[i]) / int64_t(b[i]))) << +a[i] << " " << +b[i];
  };
  std::vector<int16_t> dividends;
  for (int i = 0; i < 1 << 16; ++i) dividends.push_back(int16_t(i));
  for (int b = -32768; b < 32768; b += 97) {
    expect(kernels_.s16, dividends, std::vector<int16_t>(dividends.size(), int16_t(b == 0 ? 1 : b)));
  }
  std::vector<int32_t> a, b;
  for (int32_t q = 1; q < 40000; q = q * 5 / 4 + 1) {
    const int32_t divisor = std::numeric_limits<int32_t>::max() / q;
    for (int32_t rest = -1; rest < 2; ++rest) {
      a.push_back(divisor * q + (rest < 0 ? -1 : 0));
      b.push_back(rest == 0 ? divisor : -divisor);
    }
  }
  expect(kernels_.s32, a, b);
  // Quotients by float64 are used up to about 2^51.
  for (const int64_t most : {(int64_t{1} << 51) - 1, (int64_t{1} << 51) + 1000, std::numeric_limits<int64_t>::max()}) {
    std::vector<int64_t> dividends64, divisors64;
    std::vector<uint64_t> magnitudes, divisors;
    for (int64_t q = 1; q < most / 8; q += q / 4 + 1) {
      const int64_t divisor = most / q;
      for (const int64_t rest : {-1, 0}) {
        magnitudes.push_back(uint64_t(divisor * q + rest));
        divisors.push_back(uint64_t(divisor));
        dividends64.push_back(q % 2 == 0 ? divisor * q + rest : -divisor * q - rest);
        divisors64.push_back(q % 3 == 0 ? divisor : -divisor);
      }
    }
    expect(kernels_.s64, dividends64, divisors64);
    expect(kernels_.u64, magnitudes, divisors);
  }
}

/// Tests several divisors, including -1 and 0, with all short numbers and with 32-bit numbers next to multiples.
TEST_P(NumbersKernel, QuotientsByOneNumberAreExact) {
  const auto expect = [&]<class T>(const OrderFunctions& k, const std::vector<T>& a, int64_t divisor) {
    const T b = T(divisor);
    std::vector<T> y(a.size());
    const void* x[] = {a.data(), &b};
    k.quotient_by_one(x, y.data(), int64_t(y.size()));
    for (size_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(y[i], b == 0 ? T(0) : T(int64_t(a[i]) / int64_t(b))) << +a[i] << " " << +b;
    }
  };
  std::vector<int16_t> shorts;
  std::vector<uint16_t> unsigned_shorts;
  for (int i = 0; i < 1 << 16; ++i) {
    shorts.push_back(int16_t(i));
    unsigned_shorts.push_back(uint16_t(i));
  }
  for (int b = -32768; b < 32768; b += 97) {
    expect(kernels_.s16, shorts, b);
    expect(kernels_.u16, unsigned_shorts, b);
  }
  for (const int64_t b : {-1, 0, 1, 3}) expect(kernels_.s16, shorts, b);
  for (int64_t b = -128; b < 128; ++b) expect(kernels_.s8, std::vector<int8_t>{-128, -127, -1, 0, 1, 5, 127}, b);
  constexpr int64_t kGreatest = std::numeric_limits<int32_t>::max();
  for (const int64_t b :
       {-kGreatest - 1, -kGreatest, -65536L, -7L, -1L, 0L, 1L, 3L, 7L, 641L, 46341L, 715827882L, kGreatest}) {
    std::vector<int32_t> a{int32_t(-kGreatest - 1), int32_t(-kGreatest), -1, 0, 1, int32_t(kGreatest)};
    for (int64_t q = 1; b != 0 && q * std::abs(b) <= kGreatest; q = q * 5 / 4 + 1) {
      for (const int64_t near : {q * b - 1, q * b, q * b + 1})
        a.push_back(int32_t(std::clamp(near, -kGreatest, kGreatest)));
    }
    expect(kernels_.s32, a, b);
  }
}

TEST_P(NumbersKernel, IntegersWrapAround) {
  expect_width<int8_t>(kernels_.bits8);
  expect_width<int16_t>(kernels_.bits16);
  expect_width<int32_t>(kernels_.bits32);
  expect_width<int64_t>(kernels_.bits64);
  expect_width<uint16_t>(kernels_.bits16);
  expect_width<uint64_t>(kernels_.bits64);
}

TEST_P(NumbersKernel, Doubles) {
  expect_binary_function<double, double>(kernels_.add_f64, [](double a, double b) { return a + b; });
  expect_binary_function<double, double>(kernels_.sub_f64, [](double a, double b) { return a - b; });
  expect_binary_function<double, double>(kernels_.mul_f64, [](double a, double b) { return a * b; });
  expect_binary_function<double, double>(kernels_.div_f64, [](double a, double b) { return a / b; });
}

TEST_P(NumbersKernel, EveryByteOtherThanZeroIsTrue) {
  using B = uint8_t;
  expect_binary_function<B, B>(kernels_.and_bools, [](B a, B b) { return a && b; });
  expect_binary_function<B, B>(kernels_.or_bools, [](B a, B b) { return a || b; });
  expect_binary_function<B, B>(kernels_.xor_bools, [](B a, B b) { return bool(a) != bool(b); });
  expect_forms<B>(kernels_.equal_bools, [](B a, B b) { return bool(a) == bool(b); });
  expect_binary_function<B, B>(kernels_.not_bool, [](B a, B) { return !a; });
}

template <class T>
void expect_select(NumberFunction kernel) {
  const std::vector<T> a = operand<T>(1), b = operand<T>(2);
  const std::vector<int8_t> draws = operand<int8_t>(3);
  std::vector<uint8_t> condition;
  for (const int8_t draw : draws) condition.push_back(draw & 1);
  for (size_t n = 0; n < kOperandSize; ++n) {
    std::vector<T> y(kOperandSize, T(1)), in_place = b;
    const void* x[] = {condition.data(), a.data(), b.data()};
    kernel(x, y.data(), int64_t(n));
    const void* own[] = {condition.data(), a.data(), in_place.data()};
    kernel(own, in_place.data(), int64_t(n));
    for (size_t i = 0; i < kOperandSize; ++i) {
      const T chosen = condition[i] ? a[i] : b[i];
      ASSERT_EQ(y[i], i < n ? chosen : T(1)) << n << " " << i;
      ASSERT_EQ(in_place[i], i < n ? chosen : b[i]) << n << " " << i;
    }
  }
}

TEST_P(NumbersKernel, SelectsElementsOfEveryWidth) {
  expect_select<uint8_t>(kernels_.bits8.select);
  expect_select<uint16_t>(kernels_.bits16.select);
  expect_select<uint32_t>(kernels_.bits32.select);
  expect_select<uint64_t>(kernels_.bits64.select);
}

template <class T>
void expect_multiply_add(const WidthFunctions& k) {
  using U = std::make_unsigned_t<T>;
  const std::vector<T> b = operand<T>(1), start = operand<T>(2);
  const T factor = static_cast<T>(-3);
  for (size_t n = 0; n < kOperandSize; ++n) {
    std::vector<T> y = start;
    k.multiply_add(&factor, b.data(), y.data(), int64_t(n));
    for (size_t i = 0; i < kOperandSize; ++i) {
      const T want = i < n ? T(U(U(start[i]) + U(U(factor) * (unsigned __int128)(U(b[i]))))) : start[i];
      ASSERT_EQ(y[i], want) << n << " " << i;
    }
  }
}

TEST_P(NumbersKernel, AddsMultiples) {
  expect_multiply_add<int8_t>(kernels_.bits8);
  expect_multiply_add<uint16_t>(kernels_.bits16);
  expect_multiply_add<int32_t>(kernels_.bits32);
  expect_multiply_add<int64_t>(kernels_.bits64);
}

}  // namespace
}  // namespace linnet::testing
