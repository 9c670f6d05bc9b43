#include <gtest/gtest.h>

#include "ops/rewrites/graph_parts.h"
#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

ValueId real(GraphBuilder& b, ValueId x) { return b.op("Cast", {x}, {{"to", int64_t{1}}}); }
ValueId open_input(GraphBuilder& b, DType dtype = DType::kFloat32) {
  return b.input("x", Fact(dtype, Dims{Dim("N"), 3, 2}));
}

std::string with_dims(ValueId (*indices)(GraphBuilder&), const Attributes& shape = {}) {
  GraphBuilder b;
  const ValueId x = open_input(b);
  const ValueId dims = b.op("Gather", {b.op("Shape", {x}, shape), indices(b)});
  b.output(b.op("Add", {b.op("ReduceSum", {real(b, dims)}), x}));
  expect_unchanged(b, {random_tensor({4, 3, 2})});
  return optimized_ops(b);
}

TEST(FoldKnownDims, OfShapesThatAreKnownInPart) {
  EXPECT_EQ(with_dims([](GraphBuilder& b) { return ints(b, {-1, 1}); }), "Add");
  EXPECT_EQ(with_dims([](GraphBuilder& b) { return b.constant(Tensor::scalar<int32_t>(2)); }), "Add");
}

TEST(FoldKnownDims, LeavesThoseThatAreOpen) {
  EXPECT_NE(with_dims([](GraphBuilder& b) { return ints(b, {1, 0}); }), "Add");
  EXPECT_NE(with_dims([](GraphBuilder& b) { return ints(b, {0}); }, {{"end", int64_t{2}}}), "Add");
}

TEST(DropIdentity, OfWhatJoinsOneValue) {
  for (const char* op : {"Concat", "Max", "Mean", "Min", "Sum"}) {
    GraphBuilder b;
    const Attributes axis = op == std::string("Concat") ? Attributes{{"axis", int64_t{1}}} : Attributes{};
    b.output(b.op("Relu", {b.op(op, {open_input(b)}, axis)}));
    EXPECT_EQ(optimized_ops(b), "Relu") << op;
    expect_unchanged(b, {random_tensor({4, 3, 2})});
  }
}

TEST(DropIdentity, LeavesWhatJoinsTwo) {
  GraphBuilder b;
  const ValueId x = open_input(b);
  b.output(b.op("Relu", {b.op("Concat", {x, x}, {{"axis", int64_t{1}}})}));
  EXPECT_EQ(optimized_ops(b), "Concat Relu");
}

/// Returns the optimised operators of op(x, y), or of op(y, x), for integers x [N, 3, 2].
std::string with_integers(const char* op, const Tensor& y, bool swapped = false) {
  GraphBuilder b;
  const ValueId x = open_input(b, DType::kInt64), c = b.constant(y);
  b.output(real(b, b.op(op, swapped ? std::vector{c, x} : std::vector{x, c})));
  Tensor values(DType::kInt64, {4, 3, 2});
  for (int64_t i = 0; i < values.size(); ++i) values.data<int64_t>()[i] = i + 1;
  expect_unchanged(b, {values});
  return optimized_ops(b);
}

TEST(FoldNeutralIntegers, DropsWhatChangesNothing) {
  const Tensor zero = Tensor::of({1, 1}, std::vector<int64_t>{0}), one = Tensor::of(std::vector<int64_t>{1, 1});
  for (const bool swapped : {false, true}) {
    EXPECT_EQ(with_integers("Add", zero, swapped), "Cast");
    EXPECT_EQ(with_integers("Mul", one, swapped), "Cast");
  }
  EXPECT_EQ(with_integers("Sub", zero), "Cast");
  EXPECT_EQ(with_integers("Div", one), "Cast");
}

TEST(FoldNeutralIntegers, LeavesWhatChangesSomething) {
  const Tensor zero = Tensor::scalar<int64_t>(0), one = Tensor::scalar<int64_t>(1);
  EXPECT_NE(with_integers("Sub", zero, true), "Cast");
  EXPECT_NE(with_integers("Div", one, true), "Cast");
  EXPECT_NE(with_integers("Add", one), "Cast");
  EXPECT_NE(with_integers("Mul", zero), "Cast");
  EXPECT_NE(with_integers("Add", Tensor::of(std::vector<int64_t>{0, 1})), "Cast");
  Tensor wider(DType::kInt64, {2, 1, 1, 1});
  std::fill_n(wider.data<int64_t>(), 2, 0);
  EXPECT_NE(with_integers("Add", wider), "Cast");
}

TEST(FoldNeutralIntegers, LeavesFloats) {
  GraphBuilder b;
  b.output(b.op("Identity", {b.op("Add", {open_input(b), b.constant(Tensor::scalar(0.0f))})}));
  EXPECT_NE(optimized_ops(b), "");
}

TEST(FoldNeutralIntegers, LeavesManyNumbersTimesZero) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kInt64, Dims{4, 3}));
  b.output(real(b, b.op("Mul", {ints(b, {0}), x})));
  EXPECT_NE(optimized_ops(b), "");
}

TEST(FoldNeutralIntegers, KnowsANumberTimesZero) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kInt64, Dims{1, 1}));
  b.output(real(b, b.op("Mul", {ints(b, {0}), x})));
  EXPECT_EQ(optimized_ops(b), "");
  expect_unchanged(b, {Tensor::of({1, 1}, std::vector<int64_t>{7})});
}

}  // namespace
}  // namespace linnet::testing
