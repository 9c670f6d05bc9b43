#include "kernels/number_reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kReducedLengths[] = {1, 3, 7, 16, 31, 32, 33, 63, 64, 65, 100, 255, 256, 257, 600, 1000};

/// Returns small whole numbers, whose sums and short products are exact in any order.
template <class T>
std::vector<T> whole_numbers(int64_t n, int64_t least) {
  std::vector<T> x(static_cast<size_t>(n));
  for (size_t i = 0; i < x.size(); ++i) x[i] = T(int64_t(i * 7919 % 23) + least);
  return x;
}

/// Compares `reduce` over rows and columns with f applied value by value.
template <class T, class F>
void expect_reduction(const NumberReduction& reduce, const std::vector<T>& x, T begin, F f) {
  const auto n = int64_t(x.size());
  T want = begin, got = begin;
  for (const T value : x) want = f(want, value);
  reduce.row(x.data(), n, &got);
  ASSERT_EQ(got, want) << "row of " << n;
  for (const int64_t columns : {1, 5, 64, 70}) {
    const int64_t pitch = columns + 3, rows = n / pitch;
    std::vector<T> totals(size_t(columns) + 1, begin);
    reduce.columns(x.data(), rows, pitch, columns, totals.data());
    for (int64_t c = 0; c < columns; ++c) {
      want = begin;
      for (int64_t r = 0; r < rows; ++r) want = f(want, x[size_t(r * pitch + c)]);
      ASSERT_EQ(totals[size_t(c)], want) << rows << " rows";
    }
    EXPECT_EQ(totals.back(), begin);
  }
}

template <class T>
void check_sums(const NumberSums& sums, int64_t least) {
  for (const int64_t n : kReducedLengths) {
    std::vector<T> x = whole_numbers<T>(n, least);
    expect_reduction<T>(sums.sum, x, T(5), [](T a, T b) { return T(a + b); });
    expect_reduction<T>(sums.sum_abs, x, T(0), [](T a, T b) { return T(a + (b < 0 ? -b : b)); });
    expect_reduction<T>(sums.sum_square, x, T(0), [](T a, T b) { return T(a + b * b); });
    for (T& value : x) value = T(value == T(least) || value == T(3) ? -1 : 1);
    expect_reduction<T>(sums.product, x, T(3), [](T a, T b) { return T(a * b); });
  }
}

template <class T>
void check_extremes(const NumberExtremes& extremes, T low, T high) {
  for (const int64_t n : kReducedLengths) {
    for (const size_t at : {size_t{0}, size_t(n) / 2, size_t(n) - 1}) {
      std::vector<T> x = whole_numbers<T>(n, 20);
      x[at] = high;
      expect_reduction<T>(extremes.max, x, T(1), [](T a, T b) { return b > a ? b : a; });
      x[at] = low;
      expect_reduction<T>(extremes.min, x, T(90), [](T a, T b) { return b < a ? b : a; });
    }
  }
}

TEST(NumberReduceKernels, SumValuesOneAfterTheOther) {
  for (const Isa isa : supported_isas()) {
    check_sums<double>(kernels_for<NumberReduceKernels>(isa).sums_f64, -11);
    check_sums<int64_t>(kernels_for<NumberReduceKernels>(isa).sums_s64, -11);
  }
}

TEST(NumberReduceKernels, IntegersWrapAround) {
  const std::vector<int64_t> x(40, std::numeric_limits<int64_t>::max());
  for (const Isa isa : supported_isas()) {
    const NumberSums& sums = kernels_for<NumberReduceKernels>(isa).sums_s64;
    uint64_t total = 0;
    sums.sum.row(x.data(), int64_t(x.size()), &total);
    EXPECT_EQ(total, 40 * uint64_t(x[0]));
  }
}

TEST(NumberReduceKernels, FindTheExtremesOfEveryType) {
  for (const Isa isa : supported_isas()) {
    const NumberReduceKernels& k = kernels_for<NumberReduceKernels>(isa);
    check_extremes<float>(k.f32, -1e30f, 1e30f);
    check_extremes<double>(k.f64, -1e300, 1e300);
    check_extremes<int8_t>(k.s8, -128, 127);
    check_extremes<int16_t>(k.s16, -32768, 32767);
    check_extremes<int32_t>(k.s32, INT32_MIN, INT32_MAX);
    check_extremes<int64_t>(k.s64, INT64_MIN, INT64_MAX);
    check_extremes<uint8_t>(k.u8, 0, 255);
    check_extremes<uint16_t>(k.u16, 0, 65535);
    check_extremes<uint32_t>(k.u32, 0, UINT32_MAX);
    check_extremes<uint64_t>(k.u64, 0, UINT64_MAX);
  }
}

TEST(NumberReduceKernels, NanIsLargerAndSmallerThanAll) {
  for (const Isa isa : supported_isas()) {
    const NumberExtremes& extremes = kernels_for<NumberReduceKernels>(isa).f64;
    for (const int64_t n : kReducedLengths) {
      for (const size_t at : {size_t{0}, size_t(n) / 2, size_t(n) - 1}) {
        std::vector<double> x = whole_numbers<double>(n, -11);
        x[at] = std::numeric_limits<double>::quiet_NaN();
        for (const NumberReduction& reduce : {extremes.max, extremes.min}) {
          double best = 0;
          reduce.row(x.data(), n, &best);
          EXPECT_TRUE(std::isnan(best)) << n << ' ' << at;
          std::vector<double> totals(static_cast<size_t>(n), 0.0);
          reduce.columns(x.data(), 1, n, n, totals.data());
          EXPECT_TRUE(std::isnan(totals[at]));
        }
      }
    }
  }
}

TEST(NumberReduceKernels, AddRealNumbersInTheSameOrderOnEverySet) {
  std::vector<double> x(1000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(double(i)) * std::exp(double(i % 40) - 20);
  double first = 0, exact = 0;
  kernels_for<NumberReduceKernels>(Isa::kBaseline).sums_f64.sum.row(x.data(), 1000, &first);
  for (const double value : x) exact += value;
  EXPECT_NEAR(first, exact, 1e-6);
  for (const Isa isa : supported_isas()) {
    double sum = 0;
    kernels_for<NumberReduceKernels>(isa).sums_f64.sum.row(x.data(), 1000, &sum);
    EXPECT_EQ(sum, first);
  }
}

}  // namespace
}  // namespace linnet::testing
