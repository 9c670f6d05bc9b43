#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

TEST(Dropout, KeepsItsInputForInference) {
  const Tensor x = random_tensor({3, 4});
  const Tensor all = cast_to(Tensor::of<float>({3, 4}, std::vector<float>(12, 1)), DType::kBool);
  expect_close(run_op({"Dropout", 7}, {x})[0], x);
  const std::vector<Tensor> results = run_op({"Dropout", 13}, {x, Tensor::scalar(0.9f)}, 2);
  expect_close(results[0], x);
  expect_close(results[1], all);
  const Tensor off = Tensor::scalar(false);
  expect_close(run_op({"Dropout", 13}, {x, Tensor::scalar(0.9f), off}, 2)[0], x);
  expect_close(run_op({"Dropout", 13}, {x, {}, off}, 2, {2})[1], all);
  expect_close(run_op({"Dropout", 7}, {x}, 2)[1], cast_to(all, DType::kFloat32));
}

TEST(Dropout, DropsAndScalesForTraining) {
  const Tensor x = random_uniform({100, 1000}, 1, 2), ratio = Tensor::scalar(0.25f), on = Tensor::scalar(true);
  const OpCase op{"Dropout", 13, {{"seed", int64_t{7}}}};
  const std::vector<Tensor> results = run_op(op, {x, ratio, on}, 2);
  int64_t kept = 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    const bool keep = results[1].data<bool>()[i];
    kept += keep;
    ASSERT_NEAR(results[0].data<float>()[i], keep ? x.data<float>()[i] / 0.75f : 0.0f, 1e-6) << i;
  }
  EXPECT_NEAR(double(kept) / double(x.size()), 0.75, 0.01);
  EXPECT_TRUE(identical(run_op(op, {x, ratio, on}, 2)[1], results[1]));
  expect_close(run_op(op, {x, Tensor::scalar(0.0f), on})[0], x);
}

TEST(Dropout, RefusesRatiosOutOfRange) {
  expect_error(ErrorKind::kModel, "ratio", [] {
    run_op({"Dropout", 13}, {random_tensor({2}), Tensor::scalar(1.0f), Tensor::scalar(true)});
  });
}

TEST(Dropout, TrainsOnFloat8) {
  Tensor x(DType::kFloat8E4M3FN, Shape{1000});
  std::fill_n(static_cast<uint8_t*>(x.raw()), 1000, uint8_t{0x38});  // 1
  const std::vector<Tensor> inputs{x, Tensor::scalar(0.5f), Tensor::scalar(true)};
  const std::vector<Tensor> y = run_op({"Dropout", 22, {{"seed", int64_t{1}}}}, inputs, 2);
  const auto* codes = static_cast<const uint8_t*>(y[0].raw());
  int kept = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool keep = y[1].data<bool>()[i];
    kept += keep;
    EXPECT_EQ(codes[i], keep ? 0x40 : 0);  // 2
  }
  EXPECT_NEAR(kept, 500, 100);
}

TEST(Dropout, DoesNotTrainOnFloatsOfLessThanAByte) {
  for (const DType dtype : {DType::kFloat4E2M1, DType::kFloat6E2M3, DType::kFloat6E3M2}) {
    Tensor x(dtype, Shape{1000});
    std::fill_n(static_cast<uint8_t*>(x.raw()), x.bytes(), uint8_t{0});
    expect_error(ErrorKind::kUnsupported, "float", [&] {
      run_op({"Dropout", 22}, {x, Tensor::scalar(0.5f), Tensor::scalar(true)}, 2);
    });
  }
}

}  // namespace
}  // namespace linnet::testing
