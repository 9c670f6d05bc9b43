#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

const OpCase kMyAdd{"my_add", 1, {}, "custom"};

TEST(MyAdd, AddsTwiceTheFirstWithBroadcasting) {
  const Tensor a = Tensor::of(Shape{2, 1}, std::vector<float>{1, -2}), b = Tensor::of(std::vector<float>{0, 0.5f, 3});
  expect_close(run_op(kMyAdd, {a, b})[0], Tensor::of(Shape{2, 3}, std::vector<float>{2, 2.5f, 5, -4, -3.5f, -1}));
}

TEST(MyAdd, TakesEveryNumber) {
  for (const DType dtype :
       {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
        DType::kInt64, DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64}) {
    const Tensor a = cast_to(Tensor::of(std::vector<float>{1, 2, 3}), dtype);
    const Tensor b = cast_to(Tensor::of(std::vector<float>{10, 20, 30}), dtype);
    expect_close(run_op(kMyAdd, {a, b})[0], cast_to(Tensor::of(std::vector<float>{12, 24, 36}), dtype));
  }
}

TEST(MyAdd, WrapsIntegersAndRoundsHalvesOnce) {
  const Tensor a = Tensor::of(std::vector<int8_t>{100}), b = Tensor::of(std::vector<int8_t>{100});
  expect_close(run_op(kMyAdd, {a, b})[0], Tensor::of(std::vector<int8_t>{44}));
  const Tensor big = Tensor::of(std::vector<int64_t>{INT64_MAX});
  expect_close(run_op(kMyAdd, {big, big})[0], Tensor::of(std::vector<int64_t>{INT64_MAX - 2}));
  // 2 * 40000 is outside float16, but the sum is not.
  const Tensor x = cast_to(Tensor::of(std::vector<float>{40000}), DType::kFloat16);
  const Tensor y = cast_to(Tensor::of(std::vector<float>{-40000}), DType::kFloat16);
  expect_close(run_op(kMyAdd, {x, y})[0], x);
}

TEST(MyAdd, RefusesDifferentTypes) {
  expect_error(ErrorKind::kType, "inputs a and b", [] {
    run_op(kMyAdd, {Tensor::scalar(1.0f), Tensor::scalar(int32_t{1})});
  });
}

}  // namespace
}  // namespace linnet::testing
