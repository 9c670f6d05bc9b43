#include <gtest/gtest.h>

#include <complex>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Complex = std::complex<float>;

std::vector<Complex> values(const Tensor& tensor) {
  const Complex* x = tensor.data<Complex>();
  return {x, x + tensor.size()};
}

TEST(Unique, OrdersComplexNumbersByRealThenImaginaryPart) {
  const Tensor x = Tensor::of<Complex>({{2, 1}, {1, 5}, {2, -1}, {1, 5}, {1, 4}});
  const std::vector<Tensor> y = run_op({"Unique", 11}, {x}, 4);
  EXPECT_EQ(values(y[0]), (std::vector<Complex>{{1, 4}, {1, 5}, {2, -1}, {2, 1}}));
  expect_close(y[1], Tensor::of<int64_t>({4, 1, 2, 0}));
  expect_close(y[2], Tensor::of<int64_t>({3, 1, 2, 1, 0}));
  expect_close(y[3], Tensor::of<int64_t>({1, 2, 1, 1}));
}

TEST(Unique, ComparesComplexSlices) {
  const Tensor x = Tensor::of(Shape{2, 3}, std::vector<Complex>{{1, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 0}, {2, 0}});
  const std::vector<Tensor> y = run_op({"Unique", 11, {{"axis", int64_t{1}}}}, {x}, 1);
  EXPECT_EQ(y[0].shape(), (Shape{2, 2}));
  EXPECT_EQ(values(y[0]), (std::vector<Complex>{{1, 0}, {1, 1}, {2, 0}, {2, 0}}));
}

TEST(Unique, DoesNotWalkOverTensorsWithoutElements) {
  const Tensor x = random_tensor({int64_t{1} << 60, 0});
  const std::vector<Tensor> y = run_op({"Unique", 11, {{"axis", int64_t{1}}}}, {x}, 4);
  EXPECT_EQ(y[0].shape(), x.shape());
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(y[i].shape(), Shape({0}));
}

TEST(Unique, CountsItsWorkingMemory) {
  GraphBuilder b;
  b.output(b.op("Unique", {b.input("x", Shape{int64_t{1} << 40, 0})}, {{"axis", int64_t{0}}}));
  ContextOptions options;
  options.limits.memory_bytes = 1 << 20;
  Context context(b.model(), options);
  const std::vector<Tensor> inputs{random_tensor({int64_t{1} << 40, 0})};
  expect_error(ErrorKind::kLimit, "more than the limit", [&] { context.run(inputs); });
}

}  // namespace
}  // namespace linnet::testing
