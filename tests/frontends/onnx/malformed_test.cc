#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "changed_bytes.h"
#include "expect_refused.h"
#include "model_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

namespace fs = std::filesystem;

pb::ModelProto small_model() {
  pb::ModelProto model = empty_model();
  add_input(*model.mutable_graph(), "x");
  add_initializer(*model.mutable_graph(), "w", {1, 2});
  add_node(*model.mutable_graph(), "Add", {"x", "w"}, {"y"}, "n");
  add_output(*model.mutable_graph(), "y");
  return model;
}

TEST(MalformedModel, EveryPrefixIsAModelOrAnError) {
  const std::string bytes = small_model().SerializeAsString();
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(load_bytes(bytes.substr(0, length)), Error) << length << " of " << bytes.size() << " bytes";
  }
  EXPECT_NO_THROW(load_bytes(bytes));
}

TEST(MalformedModel, AnyChangedByteGivesAModelOrAnError) {
  const std::string bytes = small_model().SerializeAsString();
  expect_changed_bytes_are_handled(bytes, 0, bytes.size());
}

TEST(MalformedModel, SaysWhatAFileIsInstead) {
  const auto refuse = [](const std::string& bytes, const std::string& text) {
    expect_error(ErrorKind::kModel, text, [&] { load_bytes(bytes); });
  };
  refuse("", "empty file");
  refuse("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer: fetch the file");
  refuse(std::string(4096, '\xe5'), "not an ONNX model");
}

TEST(MalformedModel, ErrorsOfFilesNameTheFile) {
  const std::string missing = (fs::path(::testing::TempDir()) / "linnet_no_such_model.onnx").string();
  expect_error(ErrorKind::kIo, missing, [&] { load_onnx(missing); });
  expect_error(ErrorKind::kIo, "directory", [] { load_onnx(::testing::TempDir()); });
  const std::string path = (fs::path(::testing::TempDir()) / "linnet_malformed_test.onnx").string();
  std::ofstream(path) << "just words";
  expect_error(ErrorKind::kModel, path + ": not an ONNX model", [&] { load_onnx(path); });
  fs::remove(path);
}

TEST(MalformedModel, StatesVersionsThatAreKnown) {
  pb::ModelProto model = small_model();
  model.set_ir_version(2);
  expect_refused(model, ErrorKind::kUnsupported, "IR version 2");
  model.set_ir_version(9999);
  expect_refused(model, ErrorKind::kUnsupported, "IR version 9999");
  model.clear_ir_version();
  expect_refused(model, ErrorKind::kModel, "no IR version");
}

TEST(MalformedModel, ImportsOpsetsThatAreKnown) {
  pb::ModelProto model = small_model();
  model.mutable_opset_import(0)->set_version(9999);
  expect_refused(model, ErrorKind::kUnsupported, "opset 9999 of domain 'ai.onnx', supported are 1 to 28");
  ModelOptions options;
  options.allow_newer_opset = true;
  EXPECT_NO_THROW(load(model, options));
  for (const int64_t version : {int64_t{0}, int64_t{-1}}) {
    model.mutable_opset_import(0)->set_version(version);
    expect_refused(model, ErrorKind::kModel, "expected at least 1");
  }
  model.clear_opset_import();
  expect_refused(model, ErrorKind::kModel, "imports no operator set");
}

TEST(OpsetImports, OfTwoVersionsTheLastOneCounts) {
  pb::ModelProto model = small_model();
  model.mutable_opset_import(0)->set_domain("ai.onnx");
  EXPECT_EQ(load(model).load_report().opset, 17);
  add_import(model, "", 7);
  std::string notes;
  ModelOptions options;
  options.log = [&](LogLevel, std::string_view text) { notes += text; };
  EXPECT_EQ(load(model, options).load_report().opset, 7);
  EXPECT_NE(notes.find("domain 'ai.onnx' is imported at opset 17 and at opset 7, which counts"), notes.npos) << notes;
}

TEST(MalformedModel, ListsAllMissingOperatorsAtOnce) {
  pb::ModelProto model = small_model();
  add_import(model, "com.example", 3);
  add_node(*model.mutable_graph(), "FooBar", {"y"}, {"a"});
  add_node(*model.mutable_graph(), "Bar", {"a"}, {"b"}).set_domain("com.example");
  pb::NodeProto& choose = add_node(*model.mutable_graph(), "If", {"b"}, {"c"});
  add_node(add_body(choose, "then_branch"), "Deep", {}, {"d"});
  expect_refused(model, ErrorKind::kUnsupported,
                 "Deep (opset 17) at node 'd', FooBar (opset 17) at node 'a', com.example::Bar (opset 3) at node 'b'");
}

TEST(OpsetImports, DomainsThatAreNotImportedAreTakenAtTheirNewestVersion) {
  pb::ModelProto model = empty_model();
  pb::FunctionProto& function = *model.add_functions();
  function.set_domain("my");
  function.set_name("twice_gelu");
  function.add_input("a");
  function.add_output("b");
  function.add_opset_import()->set_version(17);
  add_node(function, "Gelu", {"a"}, {"g"}).set_domain("com.microsoft");
  add_node(function, "Add", {"g", "g"}, {"b"});
  add_import(model, "my", 1);
  pb::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x");
  add_node(graph, "twice_gelu", {"x"}, {"t"}).set_domain("my");
  pb::NodeProto& scaler = add_node(graph, "Normalizer", {"t"}, {"y"});
  scaler.set_domain("ai.onnx.ml");
  add_output(graph, "y");
  std::string notes;
  ModelOptions options;
  options.log = [&](LogLevel, std::string_view text) { notes += std::string(text) + "\n"; };
  EXPECT_NO_THROW(load(model, options));
  EXPECT_TRUE(
      notes.starts_with("the model does not import domain 'ai.onnx.ml': it is taken at its newest version, 5\n"
                        "the model does not import domain 'com.microsoft': it is taken at its newest version, 1\n"))
      << notes;
}

TEST(MalformedModel, NamesDomainsThatAreNotImported) {
  pb::ModelProto model = small_model();
  model.mutable_graph()->mutable_node(0)->set_domain("com.example");
  expect_refused(model, ErrorKind::kModel, "Add 'n': domain 'com.example' is not among the opset imports");
}

TEST(MalformedModel, NeedsAGraphWithOutputsAndNamedOperators) {
  pb::ModelProto model = small_model();
  model.mutable_graph()->mutable_node(0)->clear_op_type();
  expect_refused(model, ErrorKind::kModel, "node 'n' has no op_type");
  model.mutable_graph()->clear_output();
  model.mutable_graph()->clear_node();
  expect_refused(model, ErrorKind::kModel, "no outputs");
  model.clear_graph();
  expect_refused(model, ErrorKind::kModel, "no graph");
}

TEST(MalformedModel, RefusesDeepNestingOfAnyMessage) {
  pb::ModelProto model = small_model();
  pb::TypeProto* type = model.mutable_graph()->mutable_input(0)->mutable_type();
  for (int i = 0; i < 1000; ++i) type = type->mutable_sequence_type()->mutable_elem_type();
  expect_refused(model, ErrorKind::kModel, "nested too deeply");
}

TEST(MalformedModel, KeepsToTheFileLimit) {
  ModelOptions options;
  options.limits.file_bytes = 10;
  expect_error(ErrorKind::kLimit, "the limit is 10", [&] { load(small_model(), options); });
}

}  // namespace
}  // namespace linnet::testing
