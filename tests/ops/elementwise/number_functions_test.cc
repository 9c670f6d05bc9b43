#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

const DType kNumbers[] = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16,
                          DType::kInt8,    DType::kInt16,   DType::kInt32,   DType::kInt64};

void expect_numbers(const char* op, const Tensor& x, const Tensor& want) {
  for (const DType dtype : kNumbers) expect_close(run_op({op}, {cast_to(x, dtype)})[0], cast_to(want, dtype));
}

TEST(NumberFunctions, TakeSignedNumbersOfAllDtypes) {
  const Tensor x = Tensor::of<float>({-7, -1, 0, 1, 7});
  expect_numbers("Abs", x, Tensor::of<float>({7, 1, 0, 1, 7}));
  expect_numbers("Neg", x, Tensor::of<float>({7, 1, -0.0f, -1, -7}));
  expect_numbers("Relu", x, Tensor::of<float>({0, 0, 0, 1, 7}));
  expect_numbers("Sign", x, Tensor::of<float>({-1, -1, 0, 1, 1}));
}

TEST(NumberFunctions, TakeUnsignedIntegers) {
  const Tensor x = Tensor::of<uint32_t>({0, 1, 4000000000u});
  expect_close(run_op({"Abs"}, {x})[0], x);
  expect_close(run_op({"Sign"}, {x})[0], Tensor::of<uint32_t>({0, 1, 1}));
}

TEST(NumberFunctions, WrapTheLeastInteger) {
  const Tensor least = Tensor::of<int64_t>({std::numeric_limits<int64_t>::min()});
  expect_close(run_op({"Abs"}, {least})[0], least);
  expect_close(run_op({"Neg"}, {least})[0], least);
}

TEST(NumberFunctions, KeepTheSignOfZeroAndNan) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const auto run = [&](const char* op, float x) {
      return cast_to(run_op({op}, {cast_to(Tensor::of<float>({x}), dtype)})[0], DType::kFloat32).data<float>()[0];
    };
    EXPECT_FALSE(std::signbit(run("Abs", -0.0f)));
    EXPECT_TRUE(std::signbit(run("Neg", 0.0f)));
    EXPECT_FALSE(std::signbit(run("Neg", -0.0f)));
    for (const char* op : {"Abs", "Neg", "Relu", "Sign"}) EXPECT_TRUE(std::isnan(run(op, std::nanf("")))) << op;
  }
}

}  // namespace
}  // namespace linnet::testing
