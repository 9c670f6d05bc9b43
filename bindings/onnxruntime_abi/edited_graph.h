#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "type_info.h"

namespace linnet::ort {

/// An input or output of a graph that a client builds.
struct EditedValue {
  std::string name;
  TypeInfo type;
};

struct EditedNode {
  NodeSpec spec;
  std::vector<std::string> inputs, outputs;  ///< "" where omitted
};

/// A graph whose values are identified by their names.
struct EditedGraph {
  std::optional<std::vector<EditedValue>> inputs, outputs;  ///< nullopt: unchanged
  std::map<std::string, Tensor> initializers;
  std::vector<EditedNode> nodes;
};

struct EditedModel {
  std::map<std::string, int64_t> opsets;  ///< by domain
  std::unique_ptr<EditedGraph> graph;
};

/// Returns the same graph with values by name.
EditedGraph edited_graph(const Graph& graph);
std::map<std::string, int64_t> opsets_of(const Graph& graph);

/// Adds nodes and initializers, and replaces inputs and outputs. Throws Failure if opsets differ or if two values have
/// the same name.
void add(const EditedModel& additions, EditedGraph& graph, std::map<std::string, int64_t>& opsets);

/// Throws Failure if names are missing or nodes form a cycle, and Error for nodes that the registry refuses.
Graph build(const EditedGraph& edited, const std::map<std::string, int64_t>& opsets,
            std::shared_ptr<const Registry> registry);

}  // namespace linnet::ort
