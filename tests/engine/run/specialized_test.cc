#include <gtest/gtest.h>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Convolutions with all kinds of packing, then a matrix product. The weights are about 2 MB.
GraphBuilder convolutions() {
  GraphBuilder b;
  ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 48, 10, 12}));
  const auto conv = [&](const Shape& w, int64_t group, int64_t pad) {
    const std::vector<int64_t> pads(4, pad);
    x = b.op("Relu",
             {b.op("Conv", {x, b.constant(random_tensor(w, unsigned(w[0])))}, {{"group", group}, {"pads", pads}})});
  };
  conv({160, 48, 3, 3}, 1, 1);
  conv({160, 1, 5, 5}, 160, 2);
  conv({160, 8, 3, 3}, 20, 1);
  conv({100, 160, 1, 1}, 1, 0);
  x = b.op("GlobalAveragePool", {x});
  x = b.op("Flatten", {x});
  const ValueId w = b.constant(random_tensor({1000, 100}, 5));
  b.output(b.op("Gemm", {x, w}, {{"transB", int64_t{1}}, {"alpha", 0.5f}}));
  return b;
}

Model convolution_model(int threads = 2) {
  ModelOptions options;
  options.executor = make_openmp_executor(threads);
  return convolutions().model(options);
}

const std::vector<Tensor> kImages{random_tensor({2, 48, 10, 12}, 9)};

TEST(Specialized, GivesTheSameBitsForAnyNumberOfPackingThreads) {
  const Tensor expected = run_model(convolution_model(1), kImages)[0];
  for (const int threads : {1, 2, 5}) {
    EXPECT_TRUE(identical(run_model(convolution_model(threads), kImages)[0], expected));
    EXPECT_TRUE(identical(run_model(convolution_model(threads).specialized(kImages), kImages)[0], expected));
  }
}

TEST(Specialized, FreesTheWeightsThatArePacked) {
  const Model model = convolution_model();
  Context whole(model);
  whole.run(kImages);
  EXPECT_GT(whole.memory().weights_bytes, 700'000);
  EXPECT_EQ(whole.memory().weights_bytes, model.load_report().weights_bytes);
  Context lean(convolution_model().specialized(kImages));
  lean.run(kImages);
  EXPECT_LT(lean.memory().weights_bytes, 10'000);
  EXPECT_EQ(lean.memory().packed_bytes, whole.memory().packed_bytes);
}

TEST(Specialized, FreesTheWeightsOfAConvolutionThatScalesItsInputs) {
  GraphBuilder b;
  const auto conv = [&](ValueId x, const Shape& w) { return b.op("Conv", {x, b.constant(random_tensor(w, 1))}); };
  const Shape shape{1, 64, 9, 9};
  const ValueId x = conv(b.input("x", shape), {64, 64, 3, 3});
  b.output(conv(b.op("Mul", {x, b.op("Sigmoid", {b.op("GlobalAveragePool", {x})})}), {500, 64, 1, 1}));
  EXPECT_EQ(count_ops(b.model(), "PointwiseConv", "linnet"), 1);
  const std::vector<Tensor> inputs{random_tensor(shape)};
  Context lean(b.model().specialized(inputs));
  EXPECT_TRUE(identical(lean.run(inputs)[0], run_model(b.model(), inputs)[0]));
  EXPECT_LT(lean.memory().weights_bytes, 10'000);
}

TEST(Specialized, TakesNoOtherShapes) {
  const Model model = convolution_model().specialized(kImages);
  EXPECT_EQ(str(model.inputs()[0].fact), "float32[2,48,10,12]");
  EXPECT_EQ(str(model.outputs()[0].fact), "float32[2,1000]");
  Context context(model);
  const std::vector<Tensor> others{random_tensor({1, 48, 10, 12})};
  expect_error(ErrorKind::kShape, "input 'x' must be float32[2,48,10,12], got float32[1,48,10,12]",
               [&] { context.run(others); });
  EXPECT_TRUE(identical(context.run(kImages)[0], run_model(convolution_model(), kImages)[0]));
  expect_error(ErrorKind::kShape, "input 'x' must be",
               [&] { convolution_model().specialized(std::vector{Tensor::scalar(1.f)}); });
}

TEST(Specialized, LeavesAModelThatSomebodyElseHasAsItWas) {
  const Model model = convolution_model();
  const Tensor expected = run_model(model, kImages)[0];
  const std::vector<Tensor> others{random_tensor({3, 48, 10, 12})};
  const Tensor expected_others = run_model(model, others)[0];
  const Model special = Model(model).specialized(kImages);
  EXPECT_TRUE(identical(run_model(special, kImages)[0], expected));
  EXPECT_TRUE(identical(run_model(model, others)[0], expected_others));
}

/// Expects the same outputs as without specialisation.
void expect_unchanged_by_specialization(const GraphBuilder& b, const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> expected = run_model(b.model(), inputs);
  const std::vector<Tensor> got = run_model(b.model().specialized(inputs), inputs);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(identical(got[i], expected[i])) << i;
}

const std::vector<Tensor> kMatrix{random_tensor({4, 8}, 1)};

TEST(Specialized, KeepsWeightsThatSomeNodeReadsAsTheyAre) {
  GraphBuilder b;
  const ValueId w = b.constant(random_tensor({8, 8}, 3));
  b.output(b.op("MatMul", {b.input("x", Shape{4, 8}), w}));
  b.output(b.op("Mul", {w, b.op("ReduceSum", {b.input("y", Shape{1})}, {{"keepdims", int64_t{0}}})}));
  expect_unchanged_by_specialization(b, {kMatrix[0], random_tensor({1})});
}

TEST(Specialized, KeepsWeightsThatAreOutputs) {
  GraphBuilder b;
  const ValueId w = b.constant(random_tensor({8, 8}, 3));
  b.output(b.op("MatMul", {b.input("x", Shape{4, 8}), w}));
  b.output(w);
  expect_unchanged_by_specialization(b, kMatrix);
}

TEST(Specialized, KeepsWeightsThatArePackedOnceShapesAreKnown) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{4, 8});
  const ValueId w = b.constant(random_tensor({2, 8}, 4));
  b.output(b.op("MatMul", {b.op("Transpose", {b.op("Cast", {b.op("NonZero", {x})}, {{"to", int64_t{1}}})}), w}));
  b.output(b.op("MatMul",
                {b.op("Slice", {x, b.constant(Tensor::of<int64_t>({1}, {0})), b.constant(Tensor::of<int64_t>({1}, {2})),
                                b.constant(Tensor::of<int64_t>({1}, {1}))}),
                 w}));
  expect_unchanged_by_specialization(b, kMatrix);
}

TEST(Specialized, PacksSharedWeightsOfEachFormOnce) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{4, 8});
  const ValueId w = b.constant(random_tensor({8, 8}, 3));
  b.output(b.op("MatMul", {b.op("Relu", {b.op("MatMul", {x, w})}), w}));
  b.output(b.op("Gemm", {x, w}, {{"transB", int64_t{1}}}));
  expect_unchanged_by_specialization(b, kMatrix);
  Context context(b.model().specialized(kMatrix));
  context.run(kMatrix);
  Context whole(b.model());
  whole.run(kMatrix);
  EXPECT_EQ(context.memory().packed_bytes, whole.memory().packed_bytes);
  EXPECT_EQ(context.memory().weights_bytes, 0);
}

TEST(Specialized, PlansAgainForContentsThatDecideOnShapes) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2, 6});
  const ValueId y = b.op("MatMul", {x, b.constant(random_tensor({6, 6}))});
  b.output(b.op("Reshape", {y, b.input("shape", Fact(DType::kInt64, Shape{2}))}));
  const Tensor values = random_tensor({2, 6});
  const auto inputs = [&](int64_t rows) {
    return std::vector<Tensor>{values, Tensor::of<int64_t>({2}, {rows, 12 / rows})};
  };
  const Model model = b.model().specialized(inputs(3));
  for (const int64_t rows : {3, 4, 3}) {
    EXPECT_TRUE(identical(run_model(model, inputs(rows))[0], run_model(b.model(), inputs(rows))[0]));
  }
}

}  // namespace
}  // namespace linnet::testing
