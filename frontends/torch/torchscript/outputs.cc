#include <algorithm>
#include <set>

#include "exporter/pairs.h"
#include "tracer.h"

// Makes the results of `forward` the outputs of the graph.
namespace linnet::exporter::torchscript {
namespace {

struct NamedLeaf {
  Value leaf;
  std::string name;
};

/// Returns the tensors and numbers in a result, with their names as outputs: the keys of a dict, else numbers.
std::vector<NamedLeaf> named_leaves(Value result) {
  if (!result.is_container()) return {{result, "output"}};
  std::vector<NamedLeaf> leaves;
  const std::vector<c10::IValue>& keys = result.container->keys;
  for (size_t i = 0; i < result.container->elements.size(); ++i) {
    const bool named = !keys.empty() && keys[i].isString();
    for_each_leaf(result.container->elements[i], [&](const Value& leaf) {
      if (leaf.is_none()) return;
      leaves.push_back({leaf, named ? keys[i].toStringRef() : text_of("output_", leaves.size())});
    });
  }
  if (leaves.size() == 1 && keys.empty()) leaves[0].name = "output";
  return leaves;
}

/// Returns the output as the file declares it. Sizes that differ between evaluations are open.
OnnxValue declared(const std::string& name, const Value& leaf) {
  std::vector<OnnxDim> dims;
  for (int64_t axis = 0; leaf.is_tensor() && axis < leaf.tensor().dim(); ++axis) {
    dims.push_back({size_differs(leaf, axis) ? -1 : leaf.tensor().size(axis), ""});
  }
  return exporter::stored_value({name, dtype_of(leaf.concrete[0]), dims});
}

}  // namespace

// The result of a node gets the name of an output. Inputs, constants and values that are already an output are copied.
void Tracer::write_outputs(const Value& result, const Names& names) {
  OnnxGraph& graph = builder_.graph();
  std::set<std::string> made;
  for (const OnnxNode& node : graph.nodes) made.insert(node.outputs.begin(), node.outputs.end());
  std::unordered_map<std::string, std::string> new_names;
  builder_.set_origin("", "");
  const std::vector<NamedLeaf> leaves = named_leaves(result);
  if (!names.empty() && names.size() != leaves.size()) {
    throw ExportError(text_of("the model has ", leaves.size(), " outputs, but ", names.size(), " names for them"));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    const Value& leaf = leaves[i].leaf;
    std::string value = name_of(leaf);
    if (made.erase(value) == 0) value = builder_.emit("Identity", {value}, {}, 1)[0];
    new_names[value] = names.empty() ? builder_.unique(leaves[i].name) : names[i];
    graph.outputs.push_back(declared(new_names[value], leaf));
  }
  rename_values(graph, new_names);
  for (RecordedValue& recorded : recorded_) {
    const auto renamed = new_names.find(recorded.name);
    if (renamed != new_names.end()) recorded.name = renamed->second;
  }
}

}  // namespace linnet::exporter::torchscript
