#include <gtest/gtest.h>

#include <limits>

#include "support/run_op.h"
#include "support/special_floats.h"

namespace linnet::testing {
namespace {

const Tensor kX = Tensor::of<float>({-kInf, -3, -1, -0.5f, 0, 0.5f, 1, 3, kInf, kNan});

TEST(Clip, BoundsMayBeGivenOrOmitted) {
  const Tensor low = Tensor::scalar(-1.0f), high = Tensor::of<float>({1});
  const Tensor both = Tensor::of<float>({-1, -1, -1, -0.5f, 0, 0.5f, 1, 1, 1, kNan});
  const Tensor only_low = Tensor::of<float>({-1, -1, -1, -0.5f, 0, 0.5f, 1, 3, kInf, kNan});
  const Tensor only_high = Tensor::of<float>({-kInf, -3, -1, -0.5f, 0, 0.5f, 1, 1, 1, kNan});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
    const auto as = [&](const Tensor& tensor) { return cast_to(tensor, dtype); };
    expect_close(run_op({"Clip"}, {as(kX), as(low), as(high)})[0], as(both));
    expect_close(run_op({"Clip"}, {as(kX), as(low), as(high)}, 1, {1, 2})[0], as(both));
    expect_close(run_op({"Clip"}, {as(kX), as(low)})[0], as(only_low));
    expect_close(run_op({"Clip"}, {as(kX), {}, as(high)})[0], as(only_high));
    expect_close(run_op({"Clip"}, {as(kX)})[0], as(kX));
  }
}

TEST(Clip, TakesTheUpperBoundWhereTheBoundsCross) {
  expect_close(run_op({"Clip"}, {Tensor::of<float>({-5, 0, 5}), Tensor::scalar(2.0f), Tensor::scalar(-1.0f)})[0],
               Tensor::of<float>({-1, -1, -1}));
  expect_close(
      run_op({"Clip"}, {Tensor::of<int8_t>({-5, 0, 5}), Tensor::scalar(int8_t{2}), Tensor::scalar(int8_t{-1})})[0],
      Tensor::of<int8_t>({-1, -1, -1}));
}

TEST(Clip, TakesIntegers) {
  const Tensor x = Tensor::of<int64_t>({std::numeric_limits<int64_t>::min(), 3, 9});
  expect_close(run_op({"Clip"}, {x, {}, Tensor::scalar(int64_t{5})})[0],
               Tensor::of<int64_t>({std::numeric_limits<int64_t>::min(), 3, 5}));
}

TEST(Clip, ReadsAttributesBeforeOpset11) {
  expect_close(run_op({"Clip", 6, {{"min", -1.0f}, {"max", 1.0f}}}, {Tensor::of<float>({-2, 0.5f, 2})})[0],
               Tensor::of<float>({-1, 0.5f, 1}));
  expect_close(run_op({"Clip", 6, {{"max", 1.0f}}}, {Tensor::of<double>({-2, 2})})[0], Tensor::of<double>({-2, 1}));
}

TEST(Clip, RefusesBoundsOfManyElementsOrOtherDtypes) {
  expect_error(ErrorKind::kShape, "min", [] { run_op({"Clip"}, {kX, Tensor::of<float>({1, 2})}); });
  expect_error(ErrorKind::kType, "max", [] { run_op({"Clip"}, {kX, {}, Tensor::scalar(1.0)}); });
}

}  // namespace
}  // namespace linnet::testing
