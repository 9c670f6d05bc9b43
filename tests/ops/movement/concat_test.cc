#include <gtest/gtest.h>

#include "linnet/registry.h"
#include "ops/movement/ramp.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

OpCase concat(int64_t axis, int64_t opset = 13) { return {"Concat", opset, {{"axis", axis}}}; }

TEST(Concat, JoinsAlongEachAxis) {
  const Tensor a = Tensor::of(Shape{2, 2}, std::vector<float>{1, 2, 3, 4});
  const Tensor b = Tensor::of(Shape{2, 1}, std::vector<float>{5, 6});
  const Tensor c = Tensor::of(Shape{1, 2}, std::vector<float>{7, 8});
  expect_close(run_op(concat(1), {a, b})[0], Tensor::of(Shape{2, 3}, std::vector<float>{1, 2, 5, 3, 4, 6}));
  expect_close(run_op(concat(-1), {a, b})[0], Tensor::of(Shape{2, 3}, std::vector<float>{1, 2, 5, 3, 4, 6}));
  expect_close(run_op(concat(0), {a, c})[0], Tensor::of(Shape{3, 2}, std::vector<float>{1, 2, 3, 4, 7, 8}));
  expect_close(run_op({"Concat", 1}, {a, b})[0], Tensor::of(Shape{2, 3}, std::vector<float>{1, 2, 5, 3, 4, 6}));
}

TEST(Concat, TakesStringsEmptyPartsAndSingleInputs) {
  const Tensor a = Tensor::of<std::string>({"x", "yy"}), b = Tensor::of<std::string>({"z"});
  expect_close(run_op(concat(0), {a, Tensor(DType::kString, {0}), b})[0], Tensor::of<std::string>({"x", "yy", "z"}));
  expect_close(run_op(concat(0), {ramp({2, 3})})[0], ramp({2, 3}));
}

TEST(Concat, MovesLargeTensorsWholly) {
  const Tensor a = ramp({3, 70000}), b = ramp({3, 40001}, 1e6f);
  const Tensor y = run_op(concat(1), {a, b})[0];
  ASSERT_EQ(y.shape(), (Shape{3, 110001}));
  int64_t wrong = 0;
  for (int64_t r = 0; r < 3; ++r) {
    for (int64_t c = 0; c < 110001; ++c) {
      const float want = c < 70000 ? float(r * 70000 + c) : 1e6f + float(r * 40001 + c - 70000);
      wrong += y.data<float>()[r * 110001 + c] != want;
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Concat, AddsKnownDimsAndKeepsSymbols) {
  const Dim n(std::string("N"));
  NodeSpec spec;
  spec.op_type = "Concat";
  spec.opset = 13;
  spec.num_inputs = 2;
  spec.attributes = {{"axis", int64_t{1}}};
  const auto op = standard_registry().create(spec);
  const Fact a(DType::kFloat32, Dims{n, 3}), b(DType::kFloat32, Dims{Dim(), 4});
  EXPECT_EQ(str(op->infer(std::vector{a, b})[0]), "float32[N,7]");
  EXPECT_FALSE(op->infer(std::vector{a, Fact(DType::kFloat32, std::nullopt)})[0].dim(1).known());
}

TEST(Concat, RefusesInputsThatDoNotFit) {
  expect_error(ErrorKind::kShape, "dim 0 of input 1", [] { run_op(concat(1), {ramp({2, 2}), ramp({3, 2})}); });
  expect_error(ErrorKind::kShape, "input 1 must have rank 2", [] { run_op(concat(1), {ramp({2, 2}), ramp({2})}); });
  expect_error(ErrorKind::kShape, "axis 2", [] { run_op(concat(2), {ramp({2, 2}), ramp({2, 2})}); });
  expect_error(ErrorKind::kType, "inputs must have the same dtype", [] {
    run_op(concat(0), {ramp({2}), Tensor::of<int64_t>({1})});
  });
  expect_error(ErrorKind::kModel, "axis", [] { run_op({"Concat", 13}, {ramp({2}), ramp({2})}); });
  expect_error(ErrorKind::kUnsupported, "int4", [] {
    const Tensor x(DType::kInt4, {2});
    run_op(concat(0), {x, x});
  });
}

}  // namespace
}  // namespace linnet::testing
