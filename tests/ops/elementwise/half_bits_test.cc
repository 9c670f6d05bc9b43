#include <gtest/gtest.h>

#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

/// Computes y = f(x) in one chain, with the given dtype.
Tensor in_chain(const std::string& function, const Tensor& x, DType result) {
  const std::string rounding = result == DType::kFloat16 ? "RoundToFloat16" : "RoundToBFloat16";
  const std::vector<float> none(3, 0.0f);
  const Attributes attributes{{"ops", Names{"Widen", function, rounding}},
                              {"first", Numbers{0, 1, 2}},
                              {"second", Numbers{-1, -1, -1}},
                              {"alpha", none},
                              {"beta", none}};
  return run_op({"Elementwise", 1, attributes, "linnet"}, {x})[0];
}

TEST(HalfBits, FunctionsAreThoseOfFloatsForAllBits) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    Tensor x(dtype, {1 << 16});
    for (int i = 0; i < 1 << 16; ++i) static_cast<uint16_t*>(x.raw())[i] = uint16_t(i);
    const Tensor floats = cast_to(x, DType::kFloat32);
    for (const char* function : {"Abs", "Neg", "Relu", "Sign"}) {
      const Tensor got = cast_to(in_chain(function, x, dtype), DType::kFloat32), want = run_op({function}, {floats})[0];
      for (int64_t i = 0; i < x.size(); ++i) {
        const float one = got.data<float>()[i], other = want.data<float>()[i];
        const bool same =
            std::isnan(other) ? std::isnan(one) : one == other && std::signbit(one) == std::signbit(other);
        ASSERT_TRUE(same) << function << " of bits " << i << ": " << one << ", not " << other;
      }
    }
  }
}

TEST(HalfBits, RoundingToTheOtherTypeIsNoFunctionOfBits) {
  const Tensor x = cast_to(random_tensor({700}), DType::kFloat16);
  const Tensor want = cast_to(run_op({"Neg"}, {cast_to(x, DType::kFloat32)})[0], DType::kBFloat16);
  expect_close(in_chain("Neg", x, DType::kBFloat16), want, 0, 0);
}

}  // namespace
}  // namespace linnet::testing
