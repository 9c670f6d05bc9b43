#include <gtest/gtest.h>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct Further {
  const char* op;
  int outputs;  ///< one more than the operator has
  std::vector<Shape> inputs;
  Attributes attributes{};
  const char* domain = "";
};

class FurtherOutputs : public ::testing::TestWithParam<Further> {};

TEST_P(FurtherOutputs, AreRefused) {
  const Further& node = GetParam();
  for (const int outputs : {node.outputs, node.outputs + 20}) {
    GraphBuilder b(25);
    std::vector<ValueId> inputs;
    for (const Shape& shape : node.inputs) inputs.push_back(b.input(str("x", inputs.size()), shape));
    for (const ValueId y : b.ops(node.op, inputs, outputs, node.attributes, node.domain)) b.output(y);
    expect_error(ErrorKind::kModel, "output", [&] { b.model(); });
  }
}

const Shape kHeads{1, 2, 3, 4}, kTokens{1, 3, 8};
const Attributes kTwoHeads{{"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{2}}, {"update_rule", "linear"}};

INSTANTIATE_TEST_SUITE_P(
    , FurtherOutputs,
    ::testing::Values(Further{"Attention", 5, {kHeads, kHeads, kHeads}},
                      Further{"Attention", 5, {kHeads, kHeads, kHeads}, {}, "linnet"},
                      Further{"LayerNormalization", 4, {{2, 3}, {3}}}, Further{"RMSNormalization", 2, {{2, 3}, {3}}},
                      Further{"Relu", 2, {{2, 3}}},
                      Further{"MaxPool", 3, {{1, 1, 4, 4}}, {{"kernel_shape", std::vector<int64_t>{2, 2}}}}));

}  // namespace
}  // namespace linnet::testing
