#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

TEST(AffineGrid, MapsThePixelsCentres) {
  const Tensor theta = Tensor::of<float>({1, 2, 3}, {1, 0, 0.5f, 0, 2, 0}), size = Tensor::of<int64_t>({1, 1, 2, 3});
  const float third = 2.0f / 3;
  expect_close(run_op({"AffineGrid", 20}, {theta, size})[0],
               Tensor::of<float>({1, 2, 3, 2}, {0.5f - third, -1, 0.5f, -1, 0.5f + third, -1,  //
                                                0.5f - third, 1, 0.5f, 1, 0.5f + third, 1}),
               1e-6);
  expect_close(run_op({"AffineGrid", 20, {{"align_corners", int64_t{1}}}}, {theta, size})[0],
               Tensor::of<float>({1, 2, 3, 2}, {-0.5f, -2, 0.5f, -2, 1.5f, -2, -0.5f, 2, 0.5f, 2, 1.5f, 2}), 1e-6);
}

TEST(AffineGrid, MapsVoxelsOfABatch) {
  const Tensor theta = random_tensor({2, 3, 4}), size = Tensor::of<int64_t>({2, 5, 2, 3, 4});
  const Tensor y = run_op({"AffineGrid", 20}, {theta, size})[0];
  ASSERT_EQ(y.shape(), (Shape{2, 2, 3, 4, 3}));
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t voxel = i / 3, n = voxel / 24;
    const double point[] = {(double(voxel % 4) + 0.5) / 2 - 1, (double(voxel / 4 % 3) + 0.5) / 1.5 - 1,
                            double(voxel / 12 % 2) + 0.5 - 1, 1};
    double want = 0;
    for (int64_t k = 0; k < 4; ++k) want += double(theta.data<float>()[(n * 3 + i % 3) * 4 + k]) * point[k];
    EXPECT_NEAR(double(y.data<float>()[i]), want, 1e-6);
  }
}

TEST(AffineGrid, ChecksThetaAgainstSize) {
  const Tensor size = Tensor::of<int64_t>({2, 1, 2, 3});
  expect_error(ErrorKind::kShape, "batch", [&] { run_op({"AffineGrid", 20}, {random_tensor({1, 2, 3}), size}); });
  expect_error(ErrorKind::kShape, "rows", [&] { run_op({"AffineGrid", 20}, {random_tensor({2, 3, 4}), size}); });
  expect_error(ErrorKind::kShape, "negative", [&] {
    run_op({"AffineGrid", 20}, {random_tensor({2, 2, 3}), Tensor::of<int64_t>({-2, 1, 2, 3})});
  });
  expect_error(ErrorKind::kShape, "4 or 5", [&] {
    run_op({"AffineGrid", 20}, {random_tensor({2, 2, 3}), Tensor::of<int64_t>({2, 1, 2})});
  });
}

}  // namespace
}  // namespace linnet::testing
