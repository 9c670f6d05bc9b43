#include "pt2/program.h"

#include <gtest/gtest.h>

#include <cmath>

#include "archive_writer.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using namespace pt2;

Program read(const ProgramText& text, const Limits& limits = {}) {
  return read_program(open_archive(program_archive(text.text()).finish()), {}, limits);
}

void expect_refused(ErrorKind kind, const std::string& message, const ProgramText& text) {
  expect_error(kind, message, [&] { read(text); });
}

std::string node(const std::string& inputs, const std::string& outputs, const std::string& metadata = "") {
  return R"({"target": "t", "inputs": [)" + inputs + R"(], "outputs": [)" + outputs + R"(], "metadata": {)" + metadata +
         "}}";
}
std::string input(const std::string& argument) { return R"({"name": "a", "arg": )" + argument + R"(, "kind": 2})"; }

/// Returns the program with an additional node that has one argument.
ProgramText with_argument(const std::string& argument) {
  ProgramText text;
  text.nodes += ", " + node(input(argument), "");
  return text;
}

/// Returns that argument as it is read.
Argument argument(const std::string& json) { return read(with_argument(json)).graph.nodes.at(1).inputs.at(0).argument; }

template <class T>
T value_of(const std::string& json) {
  const Argument read = argument(json);
  EXPECT_TRUE(read.is<T>()) << json;
  return read.is<T>() ? *read.get<T>() : T();
}

std::string call_entry(const std::string& in_spec, const std::string& out_spec) {
  return R"({"fqn": "", "signature": {"inputs": [], "outputs": [], "in_spec": ")" + in_spec + R"(", "out_spec": ")" +
         out_spec + R"(", "forward_arg_names": ["x"]}})";
}
const std::string kLeaf = R"({\"type\": null, \"context\": null, \"children_spec\": []})";

TEST(Pt2Program, ReadsAGraph) {
  const Program program = read({});
  EXPECT_EQ(program.name, "model");
  ASSERT_EQ(program.graph.nodes.size(), 1U);
  const Node& relu = program.graph.nodes[0];
  EXPECT_EQ(relu.target, "torch.ops.aten.relu.default");
  ASSERT_TRUE(relu.input("self") && relu.input("self")->is<TensorName>());
  EXPECT_EQ(relu.input("self")->get<TensorName>()->name, "x");
  EXPECT_EQ(relu.input("other"), nullptr);
  const TensorMeta& x = program.graph.tensor_values.at("x");
  EXPECT_EQ(x.dtype, DType::kFloat32);
  EXPECT_EQ(x.sizes, (std::vector<SymExpr>{SymExpr::symbol("s0"), 2}));
  EXPECT_EQ(x.strides, (std::vector<SymExpr>{2, 1}));
  EXPECT_EQ(program.hints.at("s0"), 5);
}

TEST(Pt2Program, ReadsEachKindOfArguments) {
  EXPECT_TRUE(argument(R"({"as_none": true})").is<NoValue>());
  EXPECT_EQ(value_of<int64_t>(R"({"as_int": -9223372036854775808})"), INT64_MIN);
  EXPECT_EQ(value_of<std::vector<int64_t>>(R"({"as_ints": [1, 2]})"), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(value_of<std::vector<std::vector<int64_t>>>(R"({"as_int_lists": [[1], []]})").size(), 2U);
  EXPECT_EQ(value_of<double>(R"({"as_float": "-Infinity"})"), -HUGE_VAL);
  EXPECT_EQ(value_of<std::vector<double>>(R"({"as_floats": [1, 2.5]})"), (std::vector<double>{1, 2.5}));
  EXPECT_TRUE(value_of<bool>(R"({"as_bool": true})"));
  EXPECT_EQ(value_of<std::vector<bool>>(R"({"as_bools": [true, false]})"), (std::vector<bool>{true, false}));
  EXPECT_EQ(value_of<std::string>(R"({"as_string": "mean"})"), "mean");
  EXPECT_EQ(value_of<std::vector<std::string>>(R"({"as_strings": ["a"]})"), std::vector<std::string>{"a"});
  EXPECT_EQ(value_of<std::complex<double>>(R"({"as_complex": {"real": 1, "imag": -2}})"),
            (std::complex<double>(1, -2)));
  EXPECT_EQ(value_of<DType>(R"({"as_scalar_type": 13})"), DType::kBFloat16);
  EXPECT_EQ(value_of<MemoryFormat>(R"({"as_memory_format": 2})"), MemoryFormat::kChannelsLast);
  EXPECT_EQ(value_of<Layout>(R"({"as_layout": 7})"), Layout::kStrided);
  EXPECT_EQ(value_of<Device>(R"({"as_device": {"type": "cuda", "index": 1}})").index, 1);
  EXPECT_EQ(value_of<OperatorName>(R"({"as_operator": "aten.add"})").name, "aten.add");
  EXPECT_EQ(value_of<ArgumentMap>(R"({"as_string_to_argument": {"k": {"as_int": 1}}})").keys.at(0), "k");
}

TEST(Pt2Program, ReadsArgumentsThatNameValues) {
  EXPECT_EQ(value_of<std::vector<TensorName>>(R"({"as_tensors": [{"name": "x"}]})").at(0).name, "x");
  EXPECT_FALSE(value_of<std::optional<TensorName>>(R"({"as_optional_tensor": {"as_none": true}})"));
  const auto some = value_of<std::vector<std::optional<TensorName>>>(
      R"({"as_optional_tensors": [{"as_none": true}, {"as_tensor": {"name": "y"}}]})");
  EXPECT_FALSE(some.at(0));
  EXPECT_EQ(some.at(1)->name, "y");
  EXPECT_EQ(std::get<int64_t>(value_of<SymIntArgument>(R"({"as_sym_int": {"as_int": 3}})")), 3);
  EXPECT_EQ(std::get<double>(value_of<SymFloatArgument>(R"({"as_sym_float": {"as_float": 3}})")), 3);
  EXPECT_TRUE(std::get<bool>(value_of<SymBoolArgument>(R"({"as_sym_bool": {"as_bool": true}})")));
}

TEST(Pt2Program, RefusesUnknownKindsByTheirNames) {
  expect_refused(ErrorKind::kUnsupported, "nodes[1].inputs[0].arg: arguments of kind 'as_novelty' are unknown",
                 with_argument(R"({"as_novelty": 1})"));
  expect_refused(ErrorKind::kModel, "one member, got 2", with_argument(R"({"as_int": 1, "as_bool": true})"));
  expect_refused(ErrorKind::kModel, "arg.as_ints[1]: expected an integer", with_argument(R"({"as_ints": [1, null]})"));
}

TEST(Pt2Program, EveryNameOfAnArgumentIsKnown) {
  for (const char* const json : {
           R"({"as_tensor": {"name": "z"}})",
           R"({"as_tensors": [{"name": "x"}, {"name": "z"}]})",
           R"({"as_optional_tensor": {"as_tensor": {"name": "z"}}})",
           R"({"as_optional_tensors": [{"as_tensor": {"name": "z"}}]})",
           R"({"as_nested_tensors": [[{"name": "x"}], [{"name": "z"}]]})",
           R"({"as_sym_int": {"as_name": "z"}})",
           R"({"as_sym_ints": [{"as_int": 1}, {"as_name": "z"}]})",
           R"({"as_sym_float": {"as_name": "z"}})",
           R"({"as_sym_floats": [{"as_name": "z"}]})",
           R"({"as_sym_bool": {"as_name": "z"}})",
           R"({"as_sym_bools": [{"as_name": "z"}]})",
           R"({"as_custom_obj": {"name": "z", "class_fqn": "C"}})",
           R"({"as_string_to_argument": {"k": {"as_tensor": {"name": "z"}}}})",
       }) {
    expect_refused(ErrorKind::kModel, "nodes[1]: value 'z' is read before it is defined", with_argument(json));
  }
}

TEST(Pt2Program, ValuesAreDefinedOnceAndBeforeTheyAreRead) {
  ProgramText text;
  text.nodes = node(input(R"({"as_tensor": {"name": "y"}})"), R"({"as_tensor": {"name": "y"}})");
  expect_refused(ErrorKind::kModel, "nodes[0]: value 'y' is read before", text);
  text.nodes = node("", R"({"as_tensor": {"name": "x"}})");
  expect_refused(ErrorKind::kModel, "nodes[0]: value 'x' is defined twice", text);
  text.nodes = node("", R"({"as_tensor": {"name": "z"}})");
  expect_refused(ErrorKind::kModel, "tensor 'z' is not among the graph's tensor_values", text);
  text.nodes = "";
  expect_refused(ErrorKind::kModel, "graph.outputs[0]: value 'y' is read before", text);
}

TEST(Pt2Program, TensorsAreReadAsTensors) {
  expect_refused(ErrorKind::kModel, "nodes[1]: value 'x' is a tensor, but is not read as one",
                 with_argument(R"({"as_sym_int": {"as_name": "x"}})"));
  ProgramText text;
  text.nodes += ", " + node("", R"({"as_sym_int": {"as_name": "n"}})") + ", " +
                node(input(R"({"as_tensor": {"name": "n"}})"), "");
  expect_refused(ErrorKind::kModel, "nodes[2]: value 'n' is not a tensor, but is read as one", text);
}

TEST(Pt2Program, BodiesHaveValuesOfTheirOwn) {
  const auto body = [](const std::string& nodes) {
    return R"({"as_graph": {"name": "g", "graph": {"inputs": [], "outputs": [], "nodes": [)" + nodes +
           R"(], "tensor_values": {}, "is_single_tensor_return": true}}})";
  };
  const auto graph = value_of<GraphArgument>(body(""));
  EXPECT_EQ(graph.name, "g");
  EXPECT_TRUE(graph.graph->is_single_tensor_return);
  expect_refused(ErrorKind::kModel, "as_graph.graph.nodes[0]: value 'x' is read before",
                 with_argument(body(node(input(R"({"as_tensor": {"name": "x"}})"), ""))));
  const ProgramText deep = with_argument(body(node(input(body("")), "")));
  EXPECT_NO_THROW(read(deep, {.depth = 2}));
  expect_error(ErrorKind::kLimit, "nested more deeply", [&] { read(deep, {.depth = 1}); });
}

TEST(Pt2Program, BoundsNodes) {
  ProgramText text = with_argument(R"({"as_none": true})");
  EXPECT_NO_THROW(read(text, {.nodes = 2}));
  expect_error(ErrorKind::kLimit, "nodes[1]: the program has more nodes", [&] { read(text, {.nodes = 1}); });
}

TEST(Pt2Program, KnowsWhereANodeComesFrom) {
  ProgramText text;
  text.nodes +=
      ", " + node("", "",
                  R"("stack_trace": "File \"/m.py\", line 7, in forward\n    f()\n  File \"n.py\", line 12, in f",)"
                  R"("nn_module_stack": "L__self__,,m.M;L['a', 1],layers.0,m.Layer")");
  const Node read_node = read(text).graph.nodes.at(1);
  EXPECT_EQ(read_node.source, "n.py:12");
  EXPECT_EQ(read_node.module, "layers.0");
}

TEST(Pt2Program, ChecksTensors) {
  const std::string size = R"({"as_int": 2})";
  const auto with = [&](const std::string& meta) {
    ProgramText text;
    text.values += R"(, "t": )" + meta;
    return text;
  };
  const std::string place = "graph.tensor_values.t";
  expect_refused(ErrorKind::kModel, place + ".sizes[0]: is -2",
                 with(ProgramText::meta("7", R"({"as_int": -2})", size)));
  expect_refused(ErrorKind::kModel, place + ": sizes and strides", with(ProgramText::meta("7", size, "")));
  expect_refused(ErrorKind::kUnsupported, place + ".dtype: complex", with(ProgramText::meta("9", size, size)));
  expect_refused(ErrorKind::kUnsupported, place + ".dtype: dtype 77", with(ProgramText::meta("77", size, size)));
  expect_refused(ErrorKind::kModel, place + ".sizes[0].as_expr.expr_str: expression 'a b'",
                 with(ProgramText::meta("7", R"({"as_expr": {"expr_str": "a b", "hint": null}})", size)));
  std::string sizes = size;
  for (int i = 0; i < kMaxRank; ++i) sizes += ", " + size;
  expect_refused(ErrorKind::kLimit, place + ": 17 dims", with(ProgramText::meta("7", sizes, sizes)));
}

TEST(Pt2Program, ReadsTheSignature) {
  ProgramText text;
  text.output_specs = R"({"buffer_mutation": {"arg": {"name": "y"}, "buffer_name": "cache"}})";
  const Program program = read(text);
  EXPECT_EQ(program.input_specs.at(0).kind, InputSpec::Kind::kUserInput);
  EXPECT_EQ(program.output_specs.at(0).kind, OutputSpec::Kind::kBufferMutation);
  EXPECT_EQ(program.output_specs.at(0).target, "cache");
}

TEST(Pt2Program, TheSignatureNamesTheGraphsValues) {
  ProgramText text;
  text.input_specs = "";
  expect_refused(ErrorKind::kModel, "input_specs: 0 entries, the graph has 1 values", text);
  text.input_specs = R"({"user_input": {"arg": {"as_tensor": {"name": "y"}}}})";
  expect_refused(ErrorKind::kModel, "input_specs[0]: names another value", text);
  text.input_specs = R"({"user_input": {"arg": {"as_sym_int": {"as_name": "x"}}}})";
  expect_refused(ErrorKind::kModel, "input_specs[0]: names another value", text);
  text.input_specs = R"({"novelty": {}})";
  expect_refused(ErrorKind::kUnsupported, "input_specs[0]: 'novelty' is unknown", text);
}

TEST(Pt2Program, ChecksTheSchema) {
  ProgramText text;
  text.rest = R"("schema_version": {"major": 9, "minor": 1})";
  expect_refused(ErrorKind::kUnsupported, "schema 9.1", text);
  text.rest = R"("opset_version": {})";
  expect_refused(ErrorKind::kModel, "'schema_version' is missing", text);
  text.rest = R"("schema_version": {"major": 8, "minor": 99}, "novelty": [], "range_constraints": {"s0": )"
              R"({"min_val": 2, "max_val": 9223372036854775806}}, "verifiers": ["ATEN"], "torch_version": "3.0")";
  const Program program = read(text);
  EXPECT_EQ(program.schema_minor, 99);
  EXPECT_EQ(program.range_constraints.at("s0").min, 2);
  EXPECT_EQ(program.range_constraints.at("s0").max, std::nullopt);
  EXPECT_EQ(program.verifiers, std::vector<std::string>{"ATEN"});
}

TEST(Pt2Program, KnowsTheNamesOfOutputs) {
  ProgramText text;
  text.calls = call_entry("[1, " + kLeaf + "]",
                          R"([1, {\"type\": \"builtins.dict\", \"context\": \"[\\\"a\\\", \\\"b\\\"]\", )"
                          R"(\"children_spec\": [)" +
                              kLeaf + R"(, {\"type\": \"builtins.list\", \"context\": \"null\", \"children_spec\": [)" +
                              kLeaf + ", " + kLeaf + "]}]}]");
  const Program program = read(text);
  ASSERT_TRUE(program.in_spec && program.out_spec);
  EXPECT_TRUE(program.in_spec->is_leaf());
  EXPECT_EQ(leaf_names(*program.out_spec), (std::vector<std::string>{"a", "b.0", "b.1"}));
  EXPECT_EQ(program.forward_arg_names, std::vector<std::string>{"x"});
  text.calls = call_entry("[1, " + kLeaf + "]", "[2, " + kLeaf + "]");
  expect_refused(ErrorKind::kUnsupported, "out_spec: [0]: protocol 2 of trees", text);
}

TEST(Pt2Program, IsChosenByName) {
  const std::string bytes =
      program_archive(ProgramText().text()).add("m/models/other.json", ProgramText().text()).finish();
  const Archive archive = open_archive(bytes);
  EXPECT_EQ(read_program(archive).name, "model");
  EXPECT_EQ(read_program(archive, "other").name, "other");
  expect_error(ErrorKind::kModel, "no program 'third', it has 'model', 'other'",
               [&] { read_program(archive, "third"); });
}

}  // namespace
}  // namespace linnet::testing
