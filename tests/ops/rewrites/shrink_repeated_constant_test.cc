#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// A tensor whose slices along each axis of `repeated` are equal.
Tensor repeated_tensor(const Shape& shape, std::vector<int> repeated) {
  Shape once = shape;
  for (const int axis : repeated) once[axis] = 1;
  return run_op({"Expand", 13}, {random_tensor(once), Tensor::of(std::vector<int64_t>(shape.begin(), shape.end()))})[0];
}

/// The shape of the constant that the optimised Sub of x and `constant` reads.
Shape constant_shape(const Shape& x, const Tensor& constant, bool first = false) {
  GraphBuilder b;
  const ValueId input = b.input("x", x), c = b.constant(constant);
  b.output(b.op("Sub", first ? std::vector{c, input} : std::vector{input, c}));
  expect_unchanged(b, {random_tensor(x, 5)});
  const Model model = b.model();
  const Graph& graph = model_graph(model);
  for (const ValueId v : graph.node(graph.nodes().front()).inputs) {
    if (graph.fact(v).constant) return graph.fact(v).shape();
  }
  return {};
}

TEST(ShrinkRepeatedConstant, KeepsOneSliceOfEqualOnes) {
  const Shape shape{3, 40, 24};
  EXPECT_EQ(constant_shape(shape, repeated_tensor(shape, {1})), (Shape{3, 1, 24}));
  EXPECT_EQ(constant_shape(shape, repeated_tensor(shape, {0, 2}), true), (Shape{1, 40, 1}));
  EXPECT_EQ(constant_shape({2, 3, 40, 24}, repeated_tensor(shape, {0})), (Shape{1, 40, 24}));
}

TEST(ShrinkRepeatedConstant, KeepsWhatDiffersInOneElementOrGivesTheShape) {
  const Shape shape{3, 40, 24};
  Tensor one_differs = repeated_tensor(shape, {0, 1, 2}).clone();
  one_differs.data<float>()[one_differs.size() - 1] += 1;
  EXPECT_EQ(constant_shape(shape, one_differs), shape);
  EXPECT_EQ(constant_shape({1, 40, 24}, repeated_tensor(shape, {0})), shape);
  EXPECT_EQ(constant_shape({2, 4, 8}, repeated_tensor({2, 4, 8}, {1})), (Shape{2, 4, 8})) << "it is small";
}

}  // namespace
}  // namespace linnet::testing
