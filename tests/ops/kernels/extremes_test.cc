#include "kernels/extremes.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "kernels/by_number.h"
#include "kernels/kernels_for.h"
#include "linnet/tensor.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class ExtremeKernel : public ::testing::TestWithParam<Isa> {
 protected:
  const ExtremeKernels& kernels_ = kernels_for<ExtremeKernels>(GetParam());

  /// Searches rows or columns of a matrix [n, inner] or [lanes, n] that has few distinct values.
  template <class T>
  void expect_first_and_last(int64_t n, int64_t inner, int64_t lanes);
};

INSTANTIATE_TEST_SUITE_P(Isas, ExtremeKernel, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

/// Finds the position value by value. NaN is beyond all numbers and equal to itself.
template <class T>
int64_t extreme_position(const T* x, int64_t n, int64_t pitch, bool largest, bool last) {
  const auto rank = [&](T v) {
    return v != v ? std::numeric_limits<double>::infinity() : largest ? double(v) : -double(v);
  };
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i) {
    const double own = rank(x[i * pitch]), before = rank(x[best * pitch]);
    if (own > before || (last && own == before)) best = i;
  }
  return best;
}

template <class T>
T draw_number(std::mt19937& random) {
  const auto number = random() % 64;
  if constexpr (std::is_floating_point_v<T>) {
    if (number == 0) return std::numeric_limits<T>::quiet_NaN();
    if (number < 8) return number % 2 == 0 ? T(0) : -T(0);
    return T(int(number % 5)) - 2;
  } else {
    return T(number % 5 == 4   ? std::numeric_limits<T>::max()
             : number % 7 == 6 ? std::numeric_limits<T>::min()
                               : T(number % 5));
  }
}

template <class T>
void ExtremeKernel::expect_first_and_last(int64_t n, int64_t inner, int64_t lanes) {
  std::mt19937 random{unsigned(n * 1000 + lanes)};
  Guarded<T> x(inner > 1 ? n * inner : n * lanes);
  for (int64_t i = 0; i < x.size(); ++i) x[i] = draw_number<T>(random);
  const ExtremeSearches& kernels = *by_number(kernels_, dtype_of<T>);
  for (const bool largest : {true, false}) {
    for (const bool last : {true, false}) {
      Guarded<int64_t> y(lanes);
      (largest ? kernels.max : kernels.min)(x.data(), y.data(), n, inner, lanes, last);
      for (int64_t i = 0; i < lanes; ++i) {
        const T* lane = x.data() + (inner > 1 ? i : i * n);
        ASSERT_EQ(y[i], extreme_position(lane, n, inner > 1 ? inner : 1, largest, last))
            << dtype_of<T> << " n " << n << " lane " << i << " of " << lanes << (largest ? " max" : " min") << last;
      }
    }
  }
}

/// Tests short and long columns and rows, more than 8-bit indices can count and more than are searched together.
TEST_P(ExtremeKernel, FindsTheFirstAndTheLastOfEqualExtremes) {
  const auto expect = [&]<class T>() {
    for (const int64_t n : {1, 2, 3, 21, 64, 65, 66, 127, 128, 129, 300}) {
      for (const int64_t columns : {2, 7, 16, 31, 63, 64, 100, 256}) expect_first_and_last<T>(n, columns + 3, columns);
    }
    for (const int64_t n : {1, 5, 31, 32, 33, 63, 64, 65, 127, 200, 257, 1000, 4096, 4097, 9000}) {
      expect_first_and_last<T>(n, 1, n < 100 ? 150 : 3);
    }
  };
  expect.operator()<float>();
  expect.operator()<double>();
  expect.operator()<int8_t>();
  expect.operator()<int16_t>();
  expect.operator()<int32_t>();
  expect.operator()<int64_t>();
  expect.operator()<uint8_t>();
  expect.operator()<uint16_t>();
  expect.operator()<uint32_t>();
  expect.operator()<uint64_t>();
}

/// Tests rows longer than 16-bit indices can count.
TEST_P(ExtremeKernel, CountsRowsOfShortIntegersFurther) {
  for (const int64_t planted : {0, 32766, 32767, 32768, 65534, 69999}) {
    Guarded<int16_t> x(70000 * 2);
    for (int64_t i = 0; i < x.size(); ++i) x[i] = int16_t(i / 2 == planted ? 1000 : i % 999);
    int64_t y[2];
    for (const bool last : {false, true}) {
      kernels_.s16.max(x.data(), y, 70000, 2, 2, last);
      ASSERT_EQ(y[0], planted);
      ASSERT_EQ(y[1], planted);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
