#include "case.h"

#include <fstream>
#include <iterator>

#include "fuzz/memory_file.h"
#include "linnet/onnx_value.h"

namespace linnet {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Tensor tensor(const pb::TensorProto& proto) {
  const std::string bytes = proto.SerializeAsString();
  return load_value_proto(MemoryFile({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}).path()).tensor;
}

/// Returns the fact for a type that cases have.
Fact fact(const pb::TypeProto& type) {
  if (type.has_sequence_type()) return Fact::sequence(fact(type.sequence_type().elem_type()));
  if (type.has_optional_type()) return Fact::optional(fact(type.optional_type().elem_type()));
  if (type.has_map_type()) {
    return Fact::map(DType(type.map_type().key_type()), DType(type.map_type().value_type().tensor_type().elem_type()));
  }
  return {DType(type.tensor_type().elem_type()), std::nullopt};
}

CaseInput input(const std::string& name, const pb::GraphProto& graph, const std::filesystem::path& path) {
  CaseInput result{.name = name};
  for (const pb::TensorProto& initializer : graph.initializer()) {
    if (initializer.name() == name) result.value = tensor(initializer);
  }
  for (const pb::ValueInfoProto& info : graph.input()) {
    if (info.name() != name) continue;
    result.type = info.type();
    result.value = load_value_proto(path.string() + "." + name + ".pb", fact(info.type())).tensor;
  }
  return result;
}

}  // namespace

int64_t Case::opset() const {
  for (const pb::OperatorSetIdProto& import : model.opset_import()) {
    if (import.domain() == node().domain()) return import.version();
  }
  return 1;
}

Case read_case(const std::filesystem::path& path) {
  Case result;
  if (!result.model.ParseFromString(contents(path))) throw Error(ErrorKind::kIo, path.string() + " is no model");
  const std::filesystem::path stem = path.parent_path() / path.stem();
  for (const std::string& name : result.node().input())
    result.inputs.push_back(input(name, result.model.graph(), stem));
  result.model.mutable_graph()->clear_initializer();
  result.model.mutable_graph()->clear_input();
  return result;
}

}  // namespace linnet
