#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/graph.h"
#include "model_builder.h"
#include "run/model_graph.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using ::testing::ElementsAre;

pb::FunctionProto& add_function(pb::ModelProto& model, const std::string& name, const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs) {
  pb::FunctionProto& function = *model.add_functions();
  function.set_domain("my");
  function.set_name(name);
  for (const std::string& input : inputs) function.add_input(input);
  for (const std::string& output : outputs) function.add_output(output);
  return function;
}

template <class Message>
pb::NodeProto& add_call(Message& to, const std::string& name, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const std::string& node_name = {}) {
  pb::NodeProto& node = add_node(to, name, inputs, outputs, node_name);
  node.set_domain("my");
  return node;
}

void refer(pb::NodeProto& node, const std::string& name, pb::AttributeProto::AttributeType type,
           const std::string& parameter) {
  add_attribute(node, name, type).set_ref_attr_name(parameter);
}

// Returns a model x -> y, both of shape [2], which imports the domain of the functions.
pb::ModelProto unary_model() {
  pb::ModelProto model = empty_model();
  add_import(model, "my", 1);
  add_input(*model.mutable_graph(), "x");
  add_output(*model.mutable_graph(), "y");
  return model;
}

// Adds leaky(x, alpha) = LeakyRelu(x, alpha).
pb::FunctionProto& add_leaky(pb::ModelProto& model) {
  pb::FunctionProto& function = add_function(model, "leaky", {"x"}, {"y"});
  function.add_attribute("slope");
  refer(add_node(function, "LeakyRelu", {"x"}, {"y"}), "alpha", pb::AttributeProto::FLOAT, "slope");
  return function;
}

TEST(OnnxFunction, IsInlinedUnderNamesOfItsOwn) {
  pb::ModelProto proto = unary_model();
  pb::FunctionProto& twice = add_function(proto, "add_twice", {"a", "b"}, {"s"});
  add_node(twice, "Add", {"a", "b"}, {"t"}, "inner");
  add_node(twice, "Add", {"t", "b"}, {"s"});
  add_call(*proto.mutable_graph(), "add_twice", {"x", "x"}, {"t"}, "call");
  add_call(*proto.mutable_graph(), "add_twice", {"t", "x"}, {"y"}, "call");
  const Model model = load_as_written(proto);
  std::vector<std::string> names, values;
  for (const NodeId id : model_graph(model).nodes()) {
    names.push_back(model_graph(model).node(id).spec.name);
    values.push_back(model_graph(model).value(model_graph(model).node(id).outputs[0]).name);
  }
  EXPECT_THAT(names, ElementsAre("call/inner", "call/s", "call_2/inner", "call_2/s"));
  EXPECT_THAT(values, ElementsAre("call/t", "t", "call_2/t", "y"));
  EXPECT_THAT(run_floats(proto, {{1, -2}}), ElementsAre(5, -10));
}

TEST(OnnxFunction, AttributesComeFromTheCallTheDefaultOrNowhere) {
  pb::ModelProto given = unary_model();
  add_leaky(given);
  add_attribute(add_call(*given.mutable_graph(), "leaky", {"x"}, {"y"}), "slope", pb::AttributeProto::FLOAT)
      .set_f(0.5f);
  EXPECT_THAT(run_floats(given, {{1, -2}}), ElementsAre(1, -1));

  pb::ModelProto standard = unary_model();
  pb::AttributeProto& fallback = *add_leaky(standard).add_attribute_proto();
  fallback.set_name("slope");
  fallback.set_type(pb::AttributeProto::FLOAT);
  fallback.set_f(2);
  add_call(*standard.mutable_graph(), "leaky", {"x"}, {"y"});
  EXPECT_THAT(run_floats(standard, {{1, -2}}), ElementsAre(1, -4));

  pb::ModelProto absent = unary_model();
  add_leaky(absent);
  add_call(*absent.mutable_graph(), "leaky", {"x"}, {"y"});
  EXPECT_THAT(run_floats(absent, {{1, -100}}), ElementsAre(1, -1));
}

TEST(OnnxFunction, PassesAttributesAndValuesThroughNestedCalls) {
  pb::ModelProto proto = unary_model();
  add_leaky(proto);
  pb::FunctionProto& outer = add_function(proto, "outer", {"x"}, {"x", "z"});
  outer.add_attribute("s");
  refer(add_call(outer, "leaky", {"x"}, {"z"}), "slope", pb::AttributeProto::FLOAT, "s");
  pb::NodeProto& call = add_call(*proto.mutable_graph(), "outer", {"x"}, {"same", "leaked"});
  add_attribute(call, "s", pb::AttributeProto::FLOAT).set_f(3);
  add_node(*proto.mutable_graph(), "Sub", {"leaked", "same"}, {"y"});
  EXPECT_THAT(run_floats(proto, {{1, -2}}), ElementsAre(0, -4));
}

TEST(OnnxFunction, InputsMayBeOmitted) {
  pb::ModelProto proto = unary_model();
  add_node(add_function(proto, "clip", {"x", "low", "high"}, {"y"}), "Clip", {"x", "low", "high"}, {"y"});
  add_initializer(*proto.mutable_graph(), "one", {1}).clear_dims();
  add_call(*proto.mutable_graph(), "clip", {"x", "", "one"}, {"m"});
  add_call(*proto.mutable_graph(), "clip", {"m", "one"}, {"y"});
  EXPECT_THAT(run_floats(proto, {{-3, 3}}), ElementsAre(1, 1));
}

TEST(OnnxFunction, NodesHaveTheOpsetOfTheFunction) {
  pb::ModelProto proto = unary_model();
  pb::FunctionProto& function = add_function(proto, "f", {"x"}, {"y"});
  function.add_opset_import()->set_version(13);
  add_node(function, "Relu", {"x"}, {"t"});
  pb::NodeProto& choose = add_node(function, "If", {"c"}, {"y"});
  add_output(add_body(choose, "then_branch"), "t");
  add_output(add_body(choose, "else_branch"), "x");
  pb::TensorProto& cond =
      *add_attribute(add_node(function, "Constant", {}, {"c"}), "value", pb::AttributeProto::TENSOR).mutable_t();
  cond.set_data_type(pb::TensorProto::BOOL);
  cond.add_int32_data(1);
  add_call(*proto.mutable_graph(), "f", {"x"}, {"m"});
  add_node(*proto.mutable_graph(), "Neg", {"m"}, {"y"});
  std::vector<int64_t> opsets;
  const Model model = load_as_written(proto);
  for (const NodeId id : model_graph(model).nodes()) opsets.push_back(model_graph(model).node(id).spec.opset);
  EXPECT_THAT(opsets, ElementsAre(13, 13, 13, 17));
  EXPECT_THAT(run_floats(proto, {{-3, 3}}), ElementsAre(0, -3));
}

TEST(OnnxFunction, OverloadsAreToldApart) {
  pb::ModelProto proto = unary_model();
  add_node(add_function(proto, "f", {"x"}, {"y"}), "Neg", {"x"}, {"y"});
  pb::FunctionProto& other = add_function(proto, "f", {"x"}, {"y"});
  other.set_overload("second");
  add_node(other, "Abs", {"x"}, {"y"});
  add_call(*proto.mutable_graph(), "f", {"x"}, {"m"});
  add_call(*proto.mutable_graph(), "f", {"m"}, {"y"}).set_overload("second");
  EXPECT_THAT(run_floats(proto, {{-3, 3}}), ElementsAre(3, 3));
  other.clear_overload();
  expect_error(ErrorKind::kModel, "function my::f is defined twice", [&] { load(proto); });
}

TEST(OnnxFunction, BodiesGivenAsAttributesSeeTheNamesOfTheCaller) {
  pb::ModelProto proto = unary_model();
  pb::FunctionProto& function = add_function(proto, "choose", {"c"}, {"y"});
  pb::NodeProto& node = add_node(function, "If", {"c"}, {"y"});
  refer(node, "then_branch", pb::AttributeProto::GRAPH, "yes");
  refer(node, "else_branch", pb::AttributeProto::GRAPH, "yes");
  pb::TensorProto& cond =
      *add_attribute(add_node(*proto.mutable_graph(), "Constant", {}, {"c"}), "value", pb::AttributeProto::TENSOR)
           .mutable_t();
  cond.set_data_type(pb::TensorProto::BOOL);
  cond.add_int32_data(1);
  pb::GraphProto& body = add_body(add_call(*proto.mutable_graph(), "choose", {"c"}, {"y"}), "yes");
  add_node(body, "Neg", {"x"}, {"n"});
  add_output(body, "n");
  EXPECT_THAT(run_floats(proto, {{-3, 3}}), ElementsAre(3, -3));
}

TEST(OnnxFunction, RefusesRecursionAlsoThroughBodies) {
  pb::ModelProto proto = unary_model();
  pb::FunctionProto& first = add_function(proto, "f", {"x"}, {"y"});
  pb::NodeProto& node = add_node(first, "If", {"x"}, {"y"});
  add_call(add_body(node, "then_branch"), "g", {"x"}, {"t"});
  add_call(add_function(proto, "g", {"x"}, {"y"}), "f", {"x"}, {"y"});
  add_call(*proto.mutable_graph(), "f", {"x"}, {"y"});
  expect_error(ErrorKind::kModel, "my::f -> my::g -> my::f", [&] { load(proto); });
}

TEST(OnnxFunction, RefusesCallsThatDoNotFit) {
  pb::ModelProto proto = unary_model();
  add_node(add_function(proto, "f", {"x"}, {"y", "ghost"}), "Neg", {"x"}, {"y"});
  pb::NodeProto& call = add_call(*proto.mutable_graph(), "f", {"x"}, {"y"}, "c");
  EXPECT_NO_THROW(load(proto));
  call.add_output("z");
  expect_error(ErrorKind::kModel, "call of my::f 'c': value 'ghost' is not defined", [&] { load(proto); });
  call.add_input("x");
  expect_error(ErrorKind::kModel, "the function has 1 inputs and 2 outputs, the call 2 and 2", [&] { load(proto); });
}

TEST(OnnxFunction, RefusesExpansionsBeyondTheNodeLimit) {
  pb::ModelProto proto = unary_model();
  add_node(add_function(proto, "f0", {"x"}, {"y"}), "Neg", {"x"}, {"y"});
  for (int i = 1; i < 40; ++i) {
    pb::FunctionProto& function = add_function(proto, "f" + std::to_string(i), {"x"}, {"y"});
    add_call(function, "f" + std::to_string(i - 1), {"x"}, {"t"});
    add_call(function, "f" + std::to_string(i - 1), {"t"}, {"y"});
  }
  add_call(*proto.mutable_graph(), "f39", {"x"}, {"y"});
  ModelOptions options;
  options.limits.nodes = 1000;
  expect_error(ErrorKind::kLimit, "too many nodes", [&] { load(proto, options); });
}

TEST(OnnxFunction, ReferencesOutsideFunctionsAreErrors) {
  pb::ModelProto proto = unary_model();
  refer(add_node(*proto.mutable_graph(), "LeakyRelu", {"x"}, {"y"}, "n"), "alpha", pb::AttributeProto::FLOAT, "s");
  expect_error(ErrorKind::kModel, "LeakyRelu 'n'", [&] { load(proto); });
}

}  // namespace
}  // namespace linnet::testing
