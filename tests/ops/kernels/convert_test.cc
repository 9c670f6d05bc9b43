#include "kernels/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/kernels_for.h"
#include "linnet/half.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class ConvertTest : public ::testing::TestWithParam<Isa> {
 protected:
  const ConvertKernels& kernels_ = kernels_for<ConvertKernels>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(, ConvertTest, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

template <class T>
std::vector<T> all_of_16_bits() {
  std::vector<T> values(65536);
  for (size_t i = 0; i < values.size(); ++i) values[i].bits = uint16_t(i);
  return values;
}

template <class T>
void expect_widened(void (*convert)(const T*, float*, int64_t)) {
  const std::vector<T> x = all_of_16_bits<T>();
  std::vector<float> y(x.size());
  convert(x.data(), y.data(), int64_t(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(float(x[i]))) << i;
  }
}

/// Returns about every 1000th float, the values of 16 bits, the middles between them, where rounding changes, and
/// neighbours.
template <class T>
std::vector<float> sweep() {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 1009)
    values.push_back(std::bit_cast<float>(uint32_t(bits)));
  for (const T& x : all_of_16_bits<T>()) {
    T next = x;
    ++next.bits;
    for (const float turn : {float(x), std::midpoint(float(x), float(next))}) {
      const auto bits = std::bit_cast<uint32_t>(turn);
      for (const uint32_t near : {bits - 1, bits, bits + 1}) values.push_back(std::bit_cast<float>(near));
    }
  }
  return values;
}

template <class T>
void expect_narrowed(void (*convert)(const float*, T*, int64_t)) {
  const std::vector<float> x = sweep<T>();
  std::vector<T> y(x.size());
  convert(x.data(), y.data(), int64_t(x.size()));
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i].bits, T(x[i]).bits) << std::hexfloat << x[i];
}

TEST_P(ConvertTest, AllHalvesAreWidenedAsHalfDoes) { expect_widened(kernels_.float_of_half); }
TEST_P(ConvertTest, AllBFloat16AreWidenedAsBFloat16Does) { expect_widened(kernels_.float_of_bfloat16); }
TEST_P(ConvertTest, FloatsAreRoundedAsHalfDoes) { expect_narrowed(kernels_.half_of_float); }
TEST_P(ConvertTest, FloatsAreRoundedAsBFloat16Does) { expect_narrowed(kernels_.bfloat16_of_float); }

TEST_P(ConvertTest, NothingBehindTheLastElementIsWritten) {
  for (int64_t n = 0; n < 40; ++n) {
    const std::vector<float> x(size_t(n), 1.5f);
    std::vector<Half> halves(41, Half(7.f));
    std::vector<float> floats(41, 7.f);
    kernels_.half_of_float(x.data(), halves.data(), n);
    kernels_.float_of_half(halves.data(), floats.data(), n);
    for (int64_t i = 0; i < 41; ++i) {
      ASSERT_EQ(float(halves[size_t(i)]), i < n ? 1.5f : 7.f);
      ASSERT_EQ(floats[size_t(i)], i < n ? 1.5f : 7.f);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
