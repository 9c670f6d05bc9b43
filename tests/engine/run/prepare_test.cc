#include <gtest/gtest.h>

#include "linnet/model.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

Model negation() {
  GraphBuilder b;
  b.output(b.op("Neg", {b.input("x", Fact(DType::kFloat32, Dims{Dim("N")}))}));
  return b.model();
}

TEST(Prepare, PlansWhatTheFirstRunWouldPlan) {
  Context context(negation());
  context.prepare(std::vector{Shape{300}});
  EXPECT_GE(context.memory().arena_bytes, 1200);
  const Tensor x = random_tensor({300});
  EXPECT_EQ(context.run(std::vector{x})[0].data<float>()[7], -x.data<float>()[7]);
}

TEST(Prepare, RefusesShapesThatDoNotFit) {
  Context context(negation());
  expect_error(ErrorKind::kShape, "input 'x' must be float32[N]", [&] { context.prepare(std::vector{Shape{1, 2}}); });
  expect_error(ErrorKind::kModel, "expected 1 inputs, got 0", [&] { context.prepare({}); });
  expect_error(ErrorKind::kModel, "expected 1 inputs, got 2", [&] {
    context.prepare(std::vector{Shape{1}, Shape{1}});
  });
}

TEST(Prepare, RefusesWhatContentsDecideOn) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{6}), shape = b.input("shape", Fact(DType::kInt64, Shape{2}));
  b.output(b.op("Reshape", {x, shape}));
  Context context(b.model());
  expect_error(ErrorKind::kUnsupported, "the contents of input 'shape' decide on shapes", [&] {
    context.prepare(std::vector{Shape{6}, Shape{2}});
  });
  const auto outputs = context.run(std::vector{random_tensor({6}), Tensor::of<int64_t>({2, 3})});
  EXPECT_EQ(outputs[0].shape(), Shape({2, 3}));
}

}  // namespace
}  // namespace linnet::testing
