#include <gtest/gtest.h>

#include "ops/rewrites/attention_heads.h"
#include "support/special_floats.h"

namespace linnet::testing {
namespace {

TEST(JoinAttentionHeads, TransposesAroundItGo) {
  GraphBuilder b(23);
  const ValueId q = split_heads(b, b.input("q", kJoined)), k = split_heads(b, b.input("k", kJoined));
  b.output(b.op("Tanh", {join_heads(b, b.op("Attention", {q, k, split_heads(b, b.input("v", kJoined))}))}));
  EXPECT_EQ(optimized_ops(b), "Attention Tanh");
  expect_unchanged(b, randoms({kJoined, kJoined, kJoined}));
}

TEST(JoinAttentionHeads, AResultInHeadsIsTransposedBack) {
  GraphBuilder b(23);
  const ValueId q = split_heads(b, b.input("q", kJoined)), k = split_heads(b, b.input("k", kJoined));
  b.output(b.op("Attention", {q, k, split_heads(b, b.input("v", kJoined))}));
  EXPECT_EQ(optimized_ops(b), "Attention Reshape Transpose");
  expect_unchanged(b, randoms({kJoined, kJoined, kJoined}));
}

TEST(JoinAttentionHeads, NotWhereOneInputIsInHeads) {
  GraphBuilder b(23);
  const ValueId q = split_heads(b, b.input("q", kJoined)), k = split_heads(b, b.input("k", kJoined));
  b.output(b.op("Attention", {q, k, b.input("v", kSplit)}));
  EXPECT_EQ(optimized_ops(b), "Reshape Transpose Reshape Transpose Attention");
  expect_unchanged(b, randoms({kJoined, kJoined, kSplit}));
}

TEST(JoinAttentionHeads, NotOverAnotherTranspose) {
  GraphBuilder b(23);
  const Shape swapped{kBatch, kHeads, kSize, kLength};
  const auto input = [&](const char* name) { return swap(b, b.input(name, swapped), {0, 1, 3, 2}); };
  const ValueId q = input("q"), k = input("k");
  b.output(b.op("Attention", {q, k, input("v")}));
  EXPECT_EQ(optimized_ops(b), "Transpose Transpose Transpose Attention");
  expect_unchanged(b, randoms({swapped, swapped, swapped}));
}

ValueId repeat(GraphBuilder& b, ValueId x, int64_t times, int64_t axis = 2) {
  std::vector<int64_t> shape{kBatch, kHeads / 2, kLength, kSize};
  shape.insert(shape.begin() + axis, times);
  const ValueId expanded = b.op("Expand", {b.op("Unsqueeze", {x, ints(b, {axis})}), ints(b, shape)});
  return b.op("Reshape", {expanded, ints(b, {kBatch, kHeads / 2 * times, kLength, kSize})});
}

const Shape kFewHeads{kBatch, kHeads / 2, kLength, kSize};

TEST(FuseRepeatedHeads, HeadsOfKeysAndValuesAreShared) {
  GraphBuilder b(23);
  const ValueId q = b.input("q", kSplit), k = repeat(b, b.input("k", kFewHeads), 2);
  b.output(b.op("Attention", {q, k, repeat(b, b.input("v", kFewHeads), 2)}));
  EXPECT_EQ(optimized_ops(b), "Attention");
  expect_unchanged(b, randoms({kSplit, kFewHeads, kFewHeads}));
}

TEST(FuseRepeatedHeads, NotWhereWhatIsRepeatedIsNoHeads) {
  GraphBuilder b(23);
  const ValueId unknown = b.input("q", Fact(DType::kFloat32, std::nullopt)), x = b.input("k", kFewHeads);
  const std::vector<int64_t> repeated{kBatch, kHeads / 2, 2, kLength, kSize};
  const ValueId expanded = b.op("Expand", {b.op("Unsqueeze", {x, ints(b, {2})}), ints(b, repeated)});
  const ValueId keys = b.op("Reshape", {expanded, ints(b, {kBatch, -1, kLength})});
  b.output(b.op("Attention", {unknown, keys, unknown}));
  EXPECT_EQ(optimized_ops(b), "Unsqueeze Expand Reshape Attention");
}

TEST(FuseRepeatedHeads, NotOfKeysAlone) {
  GraphBuilder b(23);
  const ValueId q = b.input("q", kSplit), k = repeat(b, b.input("k", kFewHeads), 2);
  b.output(b.op("Attention", {q, k, b.input("v", kSplit)}));
  EXPECT_EQ(optimized_ops(b), "Unsqueeze Expand Reshape Attention");
}

TEST(FuseRepeatedHeads, NotWhereAllHeadsFollowEachOtherAgain) {
  GraphBuilder b(23);
  const ValueId q = b.input("q", kSplit), k = repeat(b, b.input("k", kFewHeads), 2, 1);
  b.output(b.op("Attention", {q, k, repeat(b, b.input("v", kFewHeads), 2, 1)}));
  EXPECT_EQ(optimized_ops(b), "Unsqueeze Expand Reshape Unsqueeze Expand Reshape Attention");
  expect_unchanged(b, randoms({kSplit, kFewHeads, kFewHeads}));
}

ValueId masked(GraphBuilder& b, ValueId mask) {
  return b.op("Attention", {b.input("q", kSplit), b.input("k", kSplit), b.input("v", kSplit), mask});
}

Tensor triangle(const Shape& shape) {
  Tensor keep(DType::kBool, shape);
  for (int64_t i = 0; i < keep.size(); ++i) keep.data<bool>()[i] = i % kLength <= i / kLength % kLength;
  return keep;
}

Tensor as_bias(const Tensor& keep, float hidden) {
  Tensor bias(DType::kFloat32, keep.shape());
  for (int64_t i = 0; i < keep.size(); ++i) bias.data<float>()[i] = keep.data<bool>()[i] ? 0 : hidden;
  return bias;
}

void expect_mask(GraphBuilder& b, const std::string& ops, int64_t mask_inputs, bool causal) {
  EXPECT_EQ(optimized_ops(b), ops);
  const Model model = b.model();
  for (const NodeId id : model_graph(model).nodes()) {
    const Node& node = model_graph(model).node(id);
    if (node.spec.op_type != "Attention") continue;
    EXPECT_EQ(node.inputs.size() > 3 && node.inputs[3] != kNoValue, mask_inputs > 0);
    EXPECT_EQ(node.spec.attr_or("is_causal", false), causal);
  }
}

TEST(SimplifyAttentionMask, TrianglesAreCausal) {
  for (const Tensor& mask :
       {triangle({kLength, kLength}), triangle({kBatch, 1, kLength, kLength}),
        as_bias(triangle({kLength, kLength}), -kInf), as_bias(triangle({1, kLength, kLength}), -3e38f)}) {
    GraphBuilder b(23);
    b.output(masked(b, b.constant(mask)));
    expect_mask(b, "Attention", 0, true);
    expect_unchanged(b, randoms({kSplit, kSplit, kSplit}));
  }
}

TEST(SimplifyAttentionMask, OtherConstantsAreNot) {
  Tensor hole = triangle({kLength, kLength}), more = hole.clone();
  hole.data<bool>()[kLength] = false;
  more.data<bool>()[1] = true;
  for (const Tensor& mask : {hole, more, as_bias(triangle({kLength, kLength}), -2), triangle({1, kLength})}) {
    GraphBuilder b(23);
    b.output(masked(b, b.constant(mask)));
    expect_mask(b, "Attention", 1, false);
    expect_unchanged(b, randoms({kSplit, kSplit, kSplit}));
  }
}

/// No attention runs with such inputs, but its model loads if ranks are unknown.
TEST(SimplifyAttentionMask, NotWhereInputsAreNoHeads) {
  const Fact unknown(DType::kFloat32, std::nullopt);
  for (const Shape& queries : {Shape{kLength, kSize}, Shape{kLength}, Shape{}}) {
    GraphBuilder b(23);
    const ValueId q = b.input("q", queries), k = b.input("k", unknown), v = b.input("v", unknown);
    b.output(b.op("Attention", {q, k, v, b.constant(Tensor::of<bool>({1, 1}, {true}))}));
    EXPECT_EQ(optimized_ops(b), "Attention");
  }
}

TEST(SimplifyAttentionMask, AColumnIsNoTriangle) {
  GraphBuilder b(23);
  Tensor column(DType::kBool, {kLength, 1});
  std::fill_n(column.data<bool>(), kLength, true);
  const ValueId padding = b.input("m", Fact(DType::kBool, Shape{kBatch, 1, 1, kLength}));
  b.output(masked(b, b.op("And", {padding, b.constant(column)})));
  expect_mask(b, "Attention", 1, false);
}

TEST(SimplifyAttentionMask, ATriangleAndPadding) {
  GraphBuilder b(23);
  const Fact padding(DType::kBool, Shape{kBatch, 1, 1, kLength});
  const ValueId both = b.op("And", {b.constant(triangle({kLength, kLength})), b.input("m", padding)});
  const ValueId bias = b.op("Where", {both, b.constant(Tensor::scalar(0.0f)), b.constant(Tensor::scalar(-kInf))});
  b.output(masked(b, b.op("Expand", {bias, ints(b, {kBatch, kHeads, kLength, kLength})})));
  expect_mask(b, "Attention", 1, true);
  Tensor keep(DType::kBool, {kBatch, 1, 1, kLength});
  for (int64_t i = 0; i < keep.size(); ++i) keep.data<bool>()[i] = i % 5 != 0;
  std::vector<Tensor> inputs = randoms({kSplit, kSplit, kSplit});
  inputs.insert(inputs.begin(), keep);
  expect_unchanged(b, inputs);
}

TEST(SimplifyAttentionMask, SwappedConditionsAreNegated) {
  GraphBuilder b(23);
  const ValueId hidden = b.input("m", Fact(DType::kBool, Shape{kLength, kLength}));
  b.output(masked(b, b.op("Where", {hidden, b.constant(Tensor::scalar(-kInf)), b.constant(Tensor::scalar(0.0f))})));
  expect_mask(b, "Not Attention", 1, false);
}

TEST(SimplifyAttentionMask, FiniteBiasesStay) {
  GraphBuilder b(23);
  const ValueId keep = b.input("m", Fact(DType::kBool, Shape{kLength, kLength}));
  b.output(masked(b, b.op("Where", {keep, b.constant(Tensor::scalar(0.0f)), b.constant(Tensor::scalar(-3e38f))})));
  expect_mask(b, "Where Attention", 1, false);
}

TEST(SimplifyAttentionMask, AnExpandOfOneKeyStays) {
  GraphBuilder b(23);
  const ValueId rows = b.input("m", Shape{kLength, 1});
  b.output(masked(b, b.op("Expand", {rows, ints(b, {kLength, kLength})})));
  expect_mask(b, "Expand Attention", 1, false);
}

const Shape kHeadsOfOne{kHeads, kLength, kSize};

TEST(SinkTransposeThroughUnitAxis, HeadsOfOneSampleAreJoined) {
  GraphBuilder b(23);
  const Shape shape{kLength, kHeads, kSize};
  const auto heads = [&](const char* name) {
    return b.op("Unsqueeze", {swap(b, b.input(name, shape), {1, 0, 2}), ints(b, {0})});
  };
  const ValueId q = heads("q"), k = heads("k"), y = b.op("Attention", {q, k, heads("v")});
  b.output(b.op("Tanh", {swap(b, b.op("Squeeze", {y, ints(b, {0})}), {1, 0, 2})}));
  EXPECT_EQ(optimized_ops(b), "Reshape Reshape Reshape Attention Reshape Tanh");
  expect_unchanged(b, randoms({shape, shape, shape}));
}

TEST(SinkTransposeThroughUnitAxis, NotThroughOtherAxes) {
  for (const bool adds : {true, false}) {
    GraphBuilder b;
    const Shape shape = adds ? kHeadsOfOne : Shape{kHeads, 1, kLength, kSize};
    const ValueId x =
        swap(b, b.input("x", shape), adds ? std::vector<int64_t>{1, 0, 2} : std::vector<int64_t>{1, 0, 3, 2});
    b.output(b.op("Tanh", {b.op(adds ? "Unsqueeze" : "Squeeze", {x, ints(b, {adds ? 1 : 0})})}));
    EXPECT_EQ(optimized_ops(b), adds ? "Transpose Unsqueeze Tanh" : "Transpose Squeeze Tanh");
    expect_unchanged(b, randoms({shape}));
  }
}

/// Tests attention that counts heads and samples in one axis, and in two around the Softmax.
void expect_split(bool mask, const std::string& ops, const std::vector<int64_t>& counted = {kBatch, kHeads}) {
  GraphBuilder b;
  const ValueId q = b.input("q", kSplit), k = b.input("k", kSplit), v = b.input("v", kSplit);
  const auto merged = [&](ValueId x) { return b.op("Reshape", {x, ints(b, {-1, kLength, kSize})}); };
  ValueId scores = b.op("MatMul", {merged(q), swap(b, merged(k), {0, 2, 1})});
  std::vector<Tensor> inputs = randoms({kSplit, kSplit, kSplit});
  if (mask) {
    const Shape of_scores{kBatch * kHeads, kLength, kLength};
    scores = b.op("Add", {scores, b.input("m", of_scores)});
    inputs.push_back(random_tensor(of_scores, 4));
  }
  const ValueId split = b.op("Reshape", {scores, ints(b, {counted[0], counted[1], -1, kLength})});
  const ValueId p = b.op("Reshape", {b.op("Softmax", {split}), ints(b, {-1, kLength, kLength})});
  b.output(
      b.op("Tanh", {b.op("Reshape", {b.op("MatMul", {p, merged(v)}), ints(b, {kBatch, kHeads, kLength, kSize})})}));
  EXPECT_EQ(optimized_ops(b), ops);
  expect_unchanged(b, inputs);
}

TEST(SplitProductBatches, HeadsCountedWithSamples) {
  expect_split(false, "Attention Tanh");
  expect_split(true, "Reshape +Attention Tanh");
}

TEST(SplitProductBatches, NotOfOtherMatrices) {
  expect_split(false, "Reshape Reshape Transpose MatMul Reshape Softmax Reshape +MatMul", {2, 2});
}

/// Adds a mask to scores whose view separates windows of one image; the result is reshaped back.
std::string ops_with_windows(const Shape& mask, const std::vector<int64_t>& view, const std::vector<int64_t>& back) {
  GraphBuilder b;
  const Shape scores{6, kHeads, kLength, kLength};
  const ValueId x = b.op("Reshape", {b.op("Tanh", {b.input("x", scores)}), ints(b, view)});
  b.output(b.op("Softmax", {b.op("Reshape", {b.op("Add", {x, b.input("m", mask)}), ints(b, back)})}));
  expect_unchanged(b, randoms({scores, mask}));
  return optimized_ops(b);
}

TEST(LiftAddOverReshapes, MasksOfWindows) {
  const std::vector<int64_t> view{2, 3, kHeads, kLength, kLength}, back{6, kHeads, kLength, kLength};
  EXPECT_EQ(ops_with_windows({1, 3, 1, kLength, kLength}, view, back), "Expand Reshape Tanh Add Softmax");
  EXPECT_EQ(ops_with_windows({2, 3, kHeads, 1, kLength}, view, back), "Reshape Tanh Add Softmax");
  EXPECT_EQ(ops_with_windows({1, kHeads, 1, kLength}, view, back), "Expand Reshape Tanh Add Softmax");
}

TEST(LiftAddOverReshapes, NotWhereAxesAreGroupedOtherwise) {
  const std::vector<int64_t> view{4, 6, kLength, kLength}, back{6, 4, kLength, kLength};
  EXPECT_EQ(ops_with_windows({6, 1, kLength}, view, back), "Tanh Reshape Add Reshape Softmax");
}

TEST(LiftAddOverReshapes, NotToAnotherShape) {
  const std::vector<int64_t> view{2, 3, kHeads, kLength, kLength}, back{kHeads, 6, kLength, kLength};
  EXPECT_EQ(ops_with_windows({1, 3, 1, kLength, kLength}, view, back), "Tanh Reshape Add Reshape Softmax");
}

/// Tests three parts of one product as queries, keys and values.
void expect_packed(const std::vector<int64_t>& perm, const std::string& ops, bool read_elsewhere = false) {
  GraphBuilder b(23);
  const Shape packed{kBatch, kLength, 3, kHeads, kSize};
  const ValueId all = swap(b, b.input("x", packed), perm);
  const auto part = [&](int64_t i) { return b.op("Gather", {all, b.constant(Tensor::scalar(i))}); };
  const ValueId q = part(0), k = part(1);
  b.output(b.op("Tanh", {swap(b, b.op("Attention", {q, k, part(2)}))}));
  if (read_elsewhere) b.output(b.op("Abs", {all}));
  EXPECT_EQ(optimized_ops(b), ops);
  expect_unchanged(b, randoms({packed}));
}

TEST(LiftGatherOverTranspose, PartsOfOneTensorAreJoined) {
  expect_packed({2, 0, 3, 1, 4}, "Gather Gather Gather Reshape Reshape Reshape Attention Reshape Tanh");
}

TEST(LiftGatherOverTranspose, NotOfAnotherTranspose) {
  expect_packed({2, 0, 1, 3, 4}, "Transpose Gather Gather Gather Attention Transpose Tanh");
}

TEST(LiftGatherOverTranspose, NotWhereTheWholeIsReadElsewhere) {
  expect_packed({2, 0, 3, 1, 4}, "Transpose Gather Gather Gather Attention Transpose Tanh Abs", true);
}

/// Returns the operators for rows of [batch, length, depth], flattened for a product and reshaped back.
std::string ops_of_rows(const char* op, const std::vector<int64_t>& back, const Attributes& attributes = {}) {
  GraphBuilder b;
  const ValueId rows = b.op("Reshape", {b.input("x", {kBatch, kLength, 5}), ints(b, {-1, 5})});
  const ValueId w = b.constant(random_tensor(attributes.contains("transB") ? Shape{7, 5} : Shape{5, 7}, 3));
  std::vector<ValueId> inputs{rows, w};
  if (std::string(op) == "Gemm") inputs.push_back(b.constant(random_tensor({7}, 4)));
  const ValueId y = b.op("Reshape", {b.op(op, inputs, attributes), ints(b, back)});
  b.output(b.op("Add", {y, b.input("r", Shape(std::span(back)))}));
  expect_unchanged(b, {random_tensor({kBatch, kLength, 5}), random_tensor(Shape(std::span(back)), 2)});
  return optimized_ops(b);
}

TEST(LiftProductOverReshapes, RowsAreMultipliedAsTheyLie) {
  EXPECT_EQ(ops_of_rows("Gemm", {kBatch, kLength, 7}), "+MatMul");
  EXPECT_EQ(ops_of_rows("MatMul", {kBatch, kLength, 7}), "+MatMul");
}

TEST(LiftProductOverReshapes, NotToAnotherShape) {
  EXPECT_EQ(ops_of_rows("Gemm", {kLength, kBatch, 7}), "Reshape Gemm Reshape Add");
}

TEST(LiftProductOverReshapes, NotAGemmThatDoesMore) {
  for (const Attributes& more :
       {Attributes{{"transB", int64_t{1}}}, Attributes{{"alpha", 2.0f}}, Attributes{{"beta", 2.0f}}}) {
    EXPECT_EQ(ops_of_rows("Gemm", {kBatch, kLength, 7}, more), "Reshape Gemm Reshape Add");
  }
}

}  // namespace
}  // namespace linnet::testing
