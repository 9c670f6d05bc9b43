#include "linnet/node_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model_builder.h"
#include "run/model_graph.h"

namespace linnet::testing {
namespace {

using ::testing::ElementsAre;

/// Records the node that it is made from.
class NotingOp final : public Op {
 public:
  NotingOp(const NodeSpec& node, std::vector<NodeSpec>& made) { made.push_back(node); }
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {in[0], in[0]}; }
  KernelPtr compile(const CompileInput&) const override { return nullptr; }
};

std::vector<NodeSpec> specs_of(const pb::ModelProto& proto) {
  std::vector<NodeSpec> made;
  Registry registry = standard_registry();
  registry.add("Note", {.since = 1, .domain = "tests"},
               [&](const NodeSpec& node) { return std::make_unique<NotingOp>(node, made); });
  const std::string bytes = proto.SerializeAsString();
  const Model model = load_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {}, registry);
  for (const NodeId id : model_graph(model).nodes()) {
    EXPECT_EQ(model_graph(model).node(id).spec.written, nullptr);
  }
  return made;
}

TEST(NodeSpec, HasTheNamesOfItsValuesAndWhatTheModelDeclares) {
  pb::ModelProto proto = empty_model();
  add_import(proto, "tests", 1);
  pb::GraphProto& graph = *proto.mutable_graph();
  add_input(graph, "x", {2, 3});
  add_node(graph, "Note", {"x", "", "x"}, {"y", "z"}).set_domain("tests");
  add_node(graph, "Note", {"z"}, {"", "u"}).set_domain("tests");
  add_output(graph, "y");
  add_output(graph, "u");
  set_type(*graph.mutable_output(0), pb::TensorProto::FLOAT, {2, 3});
  set_type(*graph.mutable_output(1), pb::TensorProto::FLOAT, {7});
  const std::vector<NodeSpec> made = specs_of(proto);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_THAT(made[0].written->inputs, ElementsAre("x", "", "x"));
  EXPECT_THAT(made[0].written->outputs, ElementsAre("y", "z"));
  ASSERT_EQ(made[0].written->declared.size(), 1u);
  EXPECT_EQ(str(made[0].written->declared[0]), "float32[2,3]");
  EXPECT_THAT(made[1].written->outputs, ElementsAre("", "u"));
  ASSERT_EQ(made[1].written->declared.size(), 2u);
  EXPECT_FALSE(made[1].written->declared[0].present());
  EXPECT_EQ(str(made[1].written->declared[1]), "float32[7]");
}

}  // namespace
}  // namespace linnet::testing
