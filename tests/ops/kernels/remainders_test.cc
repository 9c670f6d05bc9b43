#include "kernels/remainders.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class RemainderKernel : public ::testing::TestWithParam<Isa> {
 protected:
  const RemainderKernels& kernels_ = kernels_for<RemainderKernels>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Isas, RemainderKernel, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

template <class T>
T floored_rest(T rest, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (rest == 0) return std::copysign(rest, b);
  }
  return rest != 0 && (rest < 0) != (b < 0) ? T(rest + b) : rest;
}

template <class T>
T truncated_rest(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return std::fmod(a, b);
  return b == 0 ? T(0) : T(__int128(a) % __int128(b));
}

template <class T>
bool same_bits(T a, T b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
void expect_remainders(const RemainderFunctions& k, const std::vector<T>& a, const std::vector<T>& b) {
  for (const bool floors : {false, true}) {
    std::vector<T> y(a.size()), onto_a = a, onto_b = b;
    const auto run = [&](const T* first, const T* second, T* to) {
      const void* x[] = {first, second};
      (floors ? k.floored : k.truncated)(x, to, int64_t(a.size()));
    };
    run(a.data(), b.data(), y.data());
    run(onto_a.data(), b.data(), onto_a.data());
    run(a.data(), onto_b.data(), onto_b.data());
    for (size_t i = 0; i < a.size(); ++i) {
      const T rest = truncated_rest(a[i], b[i]), want = floors ? floored_rest(rest, b[i]) : rest;
      ASSERT_TRUE(same_bits(y[i], want)) << +a[i] << " mod " << +b[i] << ": " << +y[i] << ", not " << +want;
      ASSERT_TRUE(same_bits(onto_a[i], want) && same_bits(onto_b[i], want)) << +a[i] << " mod " << +b[i];
    }
  }
}

/// Tests the bounds of the type, small numbers, numbers of any magnitude, and multiples and their neighbours.
template <class T>
void expect_integers(const RemainderFunctions& k) {
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(7);
  for (const int shift : {0, 3, 12, 13, 40}) {
    std::vector<T> a, b;
    const auto draw = [&] { return T(random()) / T(T(1) << (shift % Limits::digits)); };
    for (int i = 0; i < 500; ++i) {
      const T divisor = T(draw() >> (random() % Limits::digits));
      const T multiple = divisor == 0 ? T(0) : T(T(draw() / T(divisor == T(-1) ? T(1) : divisor)) * divisor);
      for (const T value : {T(draw()), multiple, T(uint64_t(multiple) + 1), T(uint64_t(multiple) - 1)}) {
        a.push_back(value);
        b.push_back(divisor);
      }
    }
    if (shift == 0) {
      for (const T value : {Limits::lowest(), Limits::max(), T(0), T(1), T(-1), T(7)}) {
        for (const T divisor : {Limits::lowest(), Limits::max(), T(0), T(1), T(-1), T(2)}) {
          a.push_back(value);
          b.push_back(divisor);
        }
      }
    }
    expect_remainders(k, a, b);
  }
}

TEST_P(RemainderKernel, IntegersHaveTheSignOfDividendOrDivisor) {
  expect_integers<int8_t>(kernels_.s8);
  expect_integers<int16_t>(kernels_.s16);
  expect_integers<int32_t>(kernels_.s32);
  expect_integers<int64_t>(kernels_.s64);
  expect_integers<uint8_t>(kernels_.u8);
  expect_integers<uint16_t>(kernels_.u16);
  expect_integers<uint32_t>(kernels_.u32);
  expect_integers<uint64_t>(kernels_.u64);
}

/// Tests zeros of both signs, infinities, NaN, subnormal numbers, all exponents, and quotients that round up to whole
/// numbers, both small ones and those that no float represents.
template <class T>
void expect_floats(const RemainderFunctions& k) {
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<T> uniform(T(-10), T(10));
  std::vector<T> a, b;
  const auto add = [&](T x, T y) {
    for (const T sign : {T(1), T(-1)}) {
      a.push_back(x * sign);
      b.push_back(y);
      a.push_back(x);
      b.push_back(y * sign);
    }
  };
  const T special[] = {0,
                       1,
                       3,
                       Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::max(),
                       Limits::min(),
                       Limits::denorm_min(),
                       Limits::min() * T(0.7)};
  for (const T x : special) {
    for (const T y : special) add(x, y);
  }
  for (int i = 0; i < 3000; ++i) {
    const T divisor = uniform(random);
    add(uniform(random), divisor);
    add(std::ldexp(uniform(random), int(random() % (2 * Limits::max_exponent)) - Limits::max_exponent),
        std::ldexp(divisor, int(random() % (2 * Limits::max_exponent)) - Limits::max_exponent));
    const T multiple = divisor * std::floor(std::ldexp(T(1), int(random() % (Limits::digits + 8))));
    for (const T near : {multiple, std::nextafter(multiple, T(0)), std::nextafter(multiple, T(2) * multiple)}) {
      add(near, divisor);
    }
  }
  expect_remainders(k, a, b);
}

TEST_P(RemainderKernel, FloatsAreExact) {
  expect_floats<float>(kernels_.f32);
  expect_floats<double>(kernels_.f64);
}

TEST_P(RemainderKernel, NothingIsWrittenBehindTheLastElement) {
  for (int64_t n = 0; n < 130; ++n) {
    const std::vector<float> a(130, 7.5f), b(130, 2);
    std::vector<float> y(130, -1);
    const void* x[] = {a.data(), b.data()};
    kernels_.f32.truncated(x, y.data(), n);
    for (int64_t i = 0; i < 130; ++i) ASSERT_EQ(y[size_t(i)], i < n ? 1.5f : -1) << n;
  }
}

}  // namespace
}  // namespace linnet::testing
