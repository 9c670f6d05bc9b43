#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

const Shape kScores{2, 3, 4};

ValueId reduced(GraphBuilder& b, const std::string& op, ValueId x, const std::vector<int64_t>& axes, bool keep = true) {
  return b.op(op, {x}, {{"axes", axes}, {"keepdims", int64_t{keep}}});
}

struct Softmax {
  std::vector<int64_t> max_axes{-1}, sum_axes{2};
  bool same_x = true, exp_read_elsewhere = false;
};

GraphBuilder softmax(const Softmax& form) {
  GraphBuilder b(12);
  const ValueId x = b.input("x", kScores), other = form.same_x ? x : b.op("Neg", {x});
  const ValueId exp = b.op("Exp", {b.op("Sub", {x, reduced(b, "ReduceMax", other, form.max_axes)})});
  b.output(b.op("Div", {exp, reduced(b, "ReduceSum", exp, form.sum_axes)}));
  if (form.exp_read_elsewhere) b.output(b.op("Tanh", {exp}));
  return b;
}

TEST(RecognizeSoftmax, AlongAnyAxis) {
  EXPECT_EQ(optimized_ops(softmax({})), "Softmax");
  expect_unchanged(softmax({}), {random_tensor(kScores)});
  const GraphBuilder b = softmax({.max_axes = {1}, .sum_axes = {-2}});
  EXPECT_EQ(optimized_ops(b), "Softmax");
  expect_unchanged(b, {random_tensor(kScores)});
}

void expect_softmax_spelt(const Softmax& form) {
  const GraphBuilder b = softmax(form);
  EXPECT_EQ(optimized_ops(b).find("Softmax"), std::string::npos) << optimized_ops(b);
  expect_unchanged(b, {random_tensor(kScores)});
}

TEST(RecognizeSoftmax, NotAlongTwoAxes) {
  expect_softmax_spelt({.max_axes = {1}, .sum_axes = {2}});
  expect_softmax_spelt({.max_axes = {1, 2}, .sum_axes = {1, 2}});
}

TEST(RecognizeSoftmax, NotOfAnotherMaximum) { expect_softmax_spelt({.same_x = false}); }

TEST(RecognizeSoftmax, NotWhereTheExponentialIsReadElsewhere) { expect_softmax_spelt({.exp_read_elsewhere = true}); }

}  // namespace
}  // namespace linnet::testing
