#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "linnet/model.h"
#include "run/model_graph.h"

namespace linnet::testing {

/// Builds small graphs: b.output(b.op("Relu", {b.input("x", fact)})).
class GraphBuilder {
 public:
  explicit GraphBuilder(int64_t opset = 17, Registry registry = standard_registry())
      : graph_(std::make_shared<Registry>(std::move(registry))), opset_(opset) {}

  ValueId input(const std::string& name, const Fact& fact) { return graph_.add_input(name, fact); }
  ValueId input(const std::string& name, const Shape& shape) { return input(name, Fact(DType::kFloat32, shape)); }
  ValueId constant(const Tensor& value) { return graph_.add_constant(fresh("c"), value); }
  ValueId op(const std::string& op_type, const std::vector<ValueId>& inputs, const Attributes& attributes = {},
             const std::string& domain = {}) {
    return ops(op_type, inputs, 1, attributes, domain)[0];
  }
  std::vector<ValueId> ops(const std::string& op_type, const std::vector<ValueId>& inputs, int outputs,
                           const Attributes& attributes = {}, const std::string& domain = {}, int captures = 0) {
    NodeSpec spec;
    spec.op_type = op_type;
    spec.domain = domain;
    spec.name = fresh(op_type);
    spec.opset = opset_;
    spec.captures = captures;
    spec.attributes = attributes;
    std::vector<std::string> names;
    for (int i = 0; i < outputs; ++i) names.push_back(fresh(spec.name + "_y"));
    return graph_.node(graph_.add_node(spec, inputs, names)).outputs;
  }
  void output(ValueId value) { graph_.add_output(fresh("y"), value); }

  const Graph& graph() const { return graph_; }
  std::shared_ptr<const Graph> shared() const { return std::make_shared<Graph>(graph_); }
  Model model(const ModelOptions& options = {}) const { return make_model(graph_, options); }

 private:
  std::string fresh(const std::string& stem) { return stem + std::to_string(++count_); }

  Graph graph_;
  int64_t opset_;
  int count_ = 0;
};

/// Returns the number of nodes of that operator in the graph.
inline int count_ops(const Graph& graph, const std::string& op_type, const std::string& domain = {}) {
  int count = 0;
  for (const NodeId id : graph.nodes()) {
    count += graph.node(id).spec.op_type == op_type && graph.node(id).spec.domain == domain;
  }
  return count;
}

inline int count_ops(const Model& model, const std::string& op_type, const std::string& domain = {}) {
  return count_ops(model_graph(model), op_type, domain);
}

/// Runs the model once in a new context.
std::vector<Tensor> run_model(const Model& model, const std::vector<Tensor>& inputs, int threads = 2);

}  // namespace linnet::testing
