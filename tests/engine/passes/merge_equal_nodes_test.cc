#include <gtest/gtest.h>

#include <cstring>

#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

Graph merged(const GraphBuilder& b) {
  Graph graph = b.graph();
  propagate_facts(graph, *std::make_shared<ModelResources>());
  merge_equal_nodes(graph);
  return graph;
}

/// Returns how many nodes of the operator remain of two with these attributes and the same input.
int left_of_two(const std::string& op_type, const Attributes& first, const Attributes& second, int64_t opset = 17) {
  GraphBuilder b(opset);
  const ValueId x = b.input("x", Shape{2, 2});
  b.output(b.op(op_type, {x}, first));
  b.output(b.op(op_type, {x}, second));
  const Graph graph = merged(b);
  EXPECT_EQ(graph.outputs()[0].value == graph.outputs()[1].value, count_ops(graph, op_type) == 1);
  return count_ops(graph, op_type);
}

TEST(MergeEqualNodes, MergesChainsToTheirEnds) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2});
  for (int i = 0; i < 3; ++i) b.output(b.op("Neg", {b.op("Tanh", {b.op("Relu", {x})})}));
  const Graph graph = merged(b);
  EXPECT_EQ(graph.nodes().size(), 3u);
  EXPECT_EQ(graph.outputs()[0].value, graph.outputs()[2].value);
}

/// Eight products by one weight, to which these operators are applied first. Each product has separate nodes for this.
Model shared_weight(const std::vector<std::pair<std::string, Attributes>>& ops, bool in_body, Tensor weight) {
  GraphBuilder b, body;
  GraphBuilder& products = in_body ? body : b;
  const ValueId outer = b.input("x", Shape{2, 16});
  ValueId x = in_body ? body.input("x", Fact()) : outer;
  const ValueId w = in_body ? body.input("w", Fact()) : b.constant(weight);
  for (int i = 0; i < 8; ++i) {
    ValueId own = w;
    for (const auto& [op, attributes] : ops) {
      std::vector<ValueId> inputs{own};
      if (op == "Reshape") inputs.push_back(products.constant(Tensor::of<int64_t>({16, 16})));
      own = products.op(op, inputs, attributes);
    }
    x = products.op("MatMul", {x, own});
  }
  products.output(x);
  if (in_body) {
    const ValueId cond = b.input("c", Fact(DType::kBool, Shape{}));
    const Attributes branches{{"then_branch", body.shared()}, {"else_branch", body.shared()}};
    b.output(b.ops("If", {cond, outer, b.constant(weight)}, 1, branches, {}, 2)[0]);
  }
  return b.model();
}

int64_t packed_bytes(const Model& model, bool in_body) {
  Context context(model);
  std::vector<Tensor> inputs{random_tensor({2, 16})};
  if (in_body) inputs.push_back(Tensor::scalar(true));
  context.run(inputs);
  return context.memory().packed_bytes;
}

TEST(MergeEqualNodes, WhatSeveralProductsMakeOfOneWeightIsPackedOnce) {
  const Attributes transposed{{"perm", std::vector<int64_t>{1, 0}}}, to_float{{"to", int64_t(1)}};
  const Tensor weight = random_tensor({16, 16}), half(DType::kFloat16, {16, 16});
  std::memset(const_cast<void*>(half.raw()), 0x21, half.bytes());
  for (const bool in_body : {false, true}) {
    const int64_t once = packed_bytes(shared_weight({}, in_body, weight), in_body);
    EXPECT_GT(once, 0);
    EXPECT_EQ(packed_bytes(shared_weight({{"Identity", {}}}, in_body, weight), in_body), once);
    EXPECT_EQ(packed_bytes(shared_weight({{"Transpose", transposed}}, in_body, weight), in_body), once);
    EXPECT_EQ(
        packed_bytes(shared_weight({{"Identity", {}}, {"Transpose", transposed}, {"Identity", {}}}, in_body, weight),
                     in_body),
        once);
    EXPECT_EQ(packed_bytes(shared_weight({{"Reshape", {}}}, in_body, weight), in_body), once);
    const int64_t half_once = packed_bytes(shared_weight({{"Cast", to_float}}, in_body, half), in_body);
    EXPECT_LE(half_once, once);
    EXPECT_EQ(packed_bytes(shared_weight({{"Identity", {}}, {"Cast", to_float}}, in_body, half), in_body), half_once);
  }
}

TEST(MergeEqualNodes, OperatorsAndInputsMustBeTheSame) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2}), y = b.input("y", Shape{2});
  for (const ValueId value : {b.op("Sub", {x, y}), b.op("Sub", {y, x}), b.op("Add", {x, y}), b.op("Sub", {x, x})}) {
    b.output(value);
  }
  EXPECT_EQ(merged(b).nodes().size(), 4u);
}

TEST(MergeEqualNodes, AttributesMustBeTheSame) {
  EXPECT_EQ(left_of_two("Elu", {{"alpha", 0.5f}}, {{"alpha", 0.5f}}), 1);
  EXPECT_EQ(left_of_two("Elu", {{"alpha", 0.5f}}, {{"alpha", 0.25f}}), 2);
  EXPECT_EQ(left_of_two("Elu", {{"alpha", 0.5f}}, {}), 2);
  EXPECT_EQ(left_of_two("Softmax", {{"axis", int64_t{0}}}, {{"axis", int64_t{1}}}), 2);
  EXPECT_EQ(left_of_two("Gelu", {{"approximate", std::string("tanh")}}, {{"approximate", std::string("none")}}, 20), 2);
  const auto perm = [](int64_t a, int64_t b) { return Attributes{{"perm", std::vector<int64_t>{a, b}}}; };
  EXPECT_EQ(left_of_two("Transpose", perm(1, 0), perm(0, 1)), 2);
  EXPECT_EQ(left_of_two("Transpose", perm(1, 0), perm(1, 0)), 1);
}

TEST(MergeEqualNodes, TensorsAsAttributesMustHoldTheSame) {
  const auto left = [](const Tensor& first, const Tensor& second) {
    GraphBuilder b;
    const ValueId shape = b.input("shape", Fact(DType::kInt64, Shape{1}));
    for (const Tensor& value : {first, second}) b.output(b.op("ConstantOfShape", {shape}, {{"value", value}}));
    return count_ops(merged(b), "ConstantOfShape");
  };
  EXPECT_EQ(left(Tensor::of<float>({1}, {2}), Tensor::of<float>({1}, {2})), 1);
  EXPECT_EQ(left(Tensor::of<float>({1}, {2}), Tensor::of<float>({1}, {3})), 2);
  EXPECT_EQ(left(Tensor::of<float>({1}, {0}), Tensor::of<int32_t>({1}, {0})), 2);
}

TEST(MergeEqualNodes, RandomNumbersAreDrawnForEachNode) {
  EXPECT_EQ(left_of_two("RandomNormalLike", {}, {}), 2);
  EXPECT_EQ(left_of_two("RandomNormalLike", {{"seed", 1.f}}, {{"seed", 1.f}}), 2);
}

TEST(MergeEqualNodes, ANodeGivesWayToOneWithAtLeastItsOutputs) {
  const auto left = [](size_t omitted, bool by_first) {
    Graph graph(std::make_shared<Registry>(standard_registry()));
    const ValueId x = graph.add_input("x", Fact(DType::kFloat32, Shape{8}));
    const ValueId k = graph.add_constant("k", Tensor::of<int64_t>({1}, {2}));
    const NodeSpec spec{.op_type = "TopK", .name = "node", .opset = 17};
    for (const bool omits : {by_first, !by_first}) {
      std::vector<std::string> names{"values", "indices"};
      if (omits) names[omitted].clear();
      const Node& node = graph.node(graph.add_node(spec, {x, k}, names));
      for (size_t i = 0; i < names.size(); ++i) {
        if (!names[i].empty()) graph.add_output(names[i], node.outputs[i]);
      }
    }
    propagate_facts(graph, *std::make_shared<ModelResources>());
    merge_equal_nodes(graph);
    return count_ops(graph, "TopK");
  };
  for (const size_t omitted : {0, 1}) {
    EXPECT_EQ(left(omitted, false), 1) << "output " << omitted;
    EXPECT_EQ(left(omitted, true), 2) << "output " << omitted;
  }
}

/// Returns the number of constants that both additions read.
size_t constants_left(const Tensor& first, const Tensor& second) {
  GraphBuilder b;
  for (const Tensor& value : {first, second}) {
    b.output(b.op("Add", {b.input("x", Fact(value.dtype(), value.shape())), b.constant(value)}));
  }
  const Graph graph = merged(b);
  std::set<ValueId> constants;
  for (const NodeId id : graph.nodes()) constants.insert(graph.node(id).inputs[1]);
  EXPECT_EQ(graph.nodes().size(), 2u);
  return constants.size();
}

TEST(MergeEqualNodes, MergesEqualSmallConstants) {
  EXPECT_EQ(constants_left(Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({2}, {1, 2})), 1u);
  EXPECT_EQ(constants_left(Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({2}, {2, 1})), 2u);
  EXPECT_EQ(constants_left(Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1, 2}, {1, 2})), 2u);
  EXPECT_EQ(constants_left(Tensor::of<float>({1}, {0}), Tensor::of<int32_t>({1}, {0})), 2u);
  EXPECT_EQ(constants_left(Tensor::of<float>({1}, {0.f}), Tensor::of<float>({1}, {-0.f})), 2u);
  const Tensor large = random_tensor({100});
  EXPECT_EQ(constants_left(large, large.clone()), 2u);
}

TEST(MergeEqualNodes, SaysWhetherItChangedAnything) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2});
  for (int i = 0; i < 2; ++i) b.output(b.op("Relu", {x}));
  Graph graph = b.graph();
  propagate_facts(graph, *std::make_shared<ModelResources>());
  EXPECT_TRUE(merge_equal_nodes(graph));
  EXPECT_FALSE(merge_equal_nodes(graph));
}

}  // namespace
}  // namespace linnet::testing
