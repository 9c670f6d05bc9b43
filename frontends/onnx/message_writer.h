#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "graph/graph.h"
#include "model_message.h"
#include "proto.h"

namespace linnet {

/// Converts a graph to a model's message. Captured values become names of the surrounding graph again.
/// A domain is imported at the opset that most of its nodes have. A node with another opset becomes a call of a
/// separate function, because a function has its own imports.
/// Outside of functions, the main graph also holds the constants of bodies, so that a constant with several readers is
/// written once.
class MessageWriter {
 public:
  /// `constants`: receives the larger constants; if it is nullptr, they are written to the message.
  explicit MessageWriter(pb::ModelProto& model, ConstantParts* constants = nullptr)
      : model_(model), constants_(constants) {}

  void write(const Graph& graph);

 private:
  using Versions = std::map<std::string, int64_t>;  // domain to opset
  struct Names {
    const Versions& versions;
    std::vector<std::string> of;  // by ValueId
  };
  struct Alias {
    std::string source, name;
  };

  std::string unique(const std::string& wanted);
  static std::string unique(const std::string& wanted, std::set<std::string>& used);
  void write_body(const Graph& body, const Node& node, const Names& outer, pb::GraphProto& proto);
  void write_contents(const Graph& graph, Names& names, const std::vector<Alias>& aliases, pb::GraphProto& proto);
  void write_constants(const Graph& graph, Names& names, pb::GraphProto& proto);
  const std::string& name_in_main_graph(const Value& value);
  void write_constant(const Tensor& constant, const std::string& name, pb::TensorProto& proto);
  void write_node(const Node& node, const Names& names, pb::NodeProto& proto);
  void write_operator(const Node& node, const Names& names, pb::NodeProto& proto);
  void write_call(const Node& node, const Names& names, pb::NodeProto& proto);

  pb::ModelProto& model_;
  ConstantParts* constants_;
  std::set<std::string> used_, node_names_;
  std::map<std::tuple<const void*, DType, std::vector<int64_t>>, std::string> names_;  // of the main graph's constants
  int function_depth_ = 0;
};

}  // namespace linnet
