#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

Tensor float8(DType dtype, const std::vector<uint8_t>& codes) {
  Tensor result(dtype, Shape{int64_t(codes.size())});
  std::copy(codes.begin(), codes.end(), static_cast<uint8_t*>(result.raw()));
  return result;
}

std::vector<bool> bools(const Tensor& tensor) {
  const bool* x = tensor.data<bool>();
  return std::vector<bool>(x, x + tensor.size());
}

TEST(IsNaN, KnowsTheCodesOfFloat8) {
  EXPECT_EQ(bools(run_op({"IsNaN", 20}, {float8(DType::kFloat8E4M3FN, {0x7f, 0xff, 0x7e, 0})})[0]),
            (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(bools(run_op({"IsNaN", 20}, {float8(DType::kFloat8E5M2FNUZ, {0x80, 0x7f})})[0]),
            (std::vector<bool>{true, false}));
}

TEST(IsInf, KnowsTheCodesOfFloat8) {
  const Tensor x = float8(DType::kFloat8E5M2, {0x7c, 0xfc, 0x7b, 0x7d});
  EXPECT_EQ(bools(run_op({"IsInf", 20}, {x})[0]), (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(bools(run_op({"IsInf", 20, {{"detect_negative", int64_t{0}}}}, {x})[0]),
            (std::vector<bool>{true, false, false, false}));
}

TEST(IsNaN, RefusesFloatsOfLessThanAByte) {
  for (const DType dtype : {DType::kFloat4E2M1, DType::kFloat6E2M3}) {
    expect_error(ErrorKind::kType, "X must be one of", [&] { run_op({"IsNaN", 20}, {Tensor(dtype, Shape{64})}); });
  }
}

TEST(IsNaN, RefusesIntegers) {
  expect_error(ErrorKind::kType, "X must be one of", [] { run_op({"IsNaN", 20}, {Tensor::of<int32_t>({1})}); });
}

}  // namespace
}  // namespace linnet::testing
