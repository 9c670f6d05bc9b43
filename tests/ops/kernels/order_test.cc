#include "kernels/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class OrderKernel : public ::testing::TestWithParam<Isa> {
 protected:
  const OrderKernels& kernels_ = kernels_for<OrderKernels>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Isas, OrderKernel, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

template <class T, class Key>
void expect_keys(void (*kernel)(const T* x, Key* keys, int64_t n)) {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> ascending{-Limits::infinity(),
                                 Limits::lowest(),
                                 -1,
                                 -Limits::min(),
                                 -Limits::denorm_min(),
                                 0,
                                 Limits::denorm_min(),
                                 1,
                                 Limits::max(),
                                 Limits::infinity(),
                                 Limits::quiet_NaN()};
  for (int64_t n = 0; n <= 40; ++n) {
    Guarded<T> x(n);
    Guarded<Key> keys(n);
    for (int64_t i = 0; i < n; ++i) x[i] = ascending[size_t(i) % ascending.size()];
    kernel(x.data(), keys.data(), n);
    for (int64_t i = 1; i < std::min<int64_t>(n, std::ssize(ascending)); ++i) ASSERT_LT(keys[i - 1], keys[i]) << i;
    for (int64_t i = std::ssize(ascending); i < n; ++i) ASSERT_EQ(keys[i], keys[i - std::ssize(ascending)]) << i;
  }
  const std::vector<T> x{T(-0.0), T(0), -Limits::quiet_NaN(), Limits::quiet_NaN()};
  std::vector<Key> keys(x.size());
  kernel(x.data(), keys.data(), std::ssize(x));
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_EQ(keys[2], keys[3]);
}

TEST_P(OrderKernel, KeysOrderAsFloatsDo) {
  expect_keys(kernels_.keys_f32);
  expect_keys(kernels_.keys_f64);
}

template <class Key>
void expect_selection(const KeySelection<Key>& k) {
  for (const int64_t n : {1, 7, 31, 32, 33, 64, 100, 700}) {
    Guarded<Key> keys(n);
    for (int64_t i = 0; i < n; ++i) keys[i] = Key(i * 7919 % 1009) << (8 * sizeof(Key) - 10);
    std::vector<Key> sorted(keys.data(), keys.data() + n);
    std::ranges::sort(sorted);
    for (const Key most : {Key(0), sorted[size_t(n / 50)], sorted[size_t(n / 2)], sorted.back(), Key(-1)}) {
      Guarded<int32_t> positions(n + 1);
      std::vector<int32_t> want;
      for (int64_t i = 0; i < n; ++i) {
        if (keys[i] <= most) want.push_back(int32_t(i));
      }
      const int64_t found = k.find(keys.data(), n, most, positions.data());
      EXPECT_EQ(std::vector<int32_t>(positions.data(), positions.data() + found), want) << n;
    }
    for (const int64_t groups : {1, 5, 64}) {
      if (groups > n) continue;
      Guarded<Key> minima(groups);
      k.group_minima(keys.data(), n, groups, minima.data());
      for (int64_t g = 0; g < groups; ++g) {
        Key least = keys[g];
        for (int64_t i = g; i < n; i += groups) least = std::min(least, keys[i]);
        ASSERT_EQ(minima[g], least) << g << " of " << groups << " in " << n;
      }
    }
  }
}

TEST_P(OrderKernel, SelectsKeys) {
  expect_selection(kernels_.narrow);
  expect_selection(kernels_.wide);
}

}  // namespace
}  // namespace linnet::testing
