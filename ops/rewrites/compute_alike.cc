#include "rewrites/compute_alike.h"

#include <algorithm>
#include <tuple>

#include "elementwise/elementwise_chain.h"
#include "functions/function_table.h"
#include "graph/equal_specs.h"
#include "passes/pending_nodes.h"
#include "rewrites/matching/activation.h"
#include "rewrites/matching/half_link.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

bool has_body(const NodeSpec& spec) {
  return std::any_of(spec.attributes.begin(), spec.attributes.end(), [](const auto& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.second);
  });
}

bool moves_elements(const Graph& graph, const Node& node) {
  const std::vector<Fact> in = input_facts(graph, node);
  const auto holds_others = [](const Fact& fact) { return is_container(fact.dtype); };
  return !has_body(node.spec) && std::none_of(in.begin(), in.end(), holds_others) &&
         node.op->computes_in(in) == Precision::kAny;
}

bool gives_floats(const Graph& graph, const Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) {
    const DType dtype = graph.fact(v).dtype;
    return is_floating(dtype) || is_container(dtype);
  });
}

/// What a graph computes floats by, in an order of its own.
struct Computation {
  explicit Computation(const Graph& graph) {
    for (const NodeId id : pending_nodes(graph)) {
      const Node& node = graph.node(id);
      if (gives_floats(graph, node) && !moves_elements(graph, node) && !add_links(graph, node)) others.push_back(&node);
    }
    std::sort(links.begin(), links.end());
    const auto key = [](const Node* node) { return std::tie(node->spec.domain, node->spec.op_type); };
    std::stable_sort(others.begin(), others.end(), [&](const Node* x, const Node* y) { return key(x) < key(y); });
  }

  std::vector<std::tuple<std::string, float, float>> links;  // element-wise functions, with their parameters
  std::vector<const Node*> others;

 private:
  /// The links but for those on constants, which fold where a graph knows them early.
  void add_chain(const Graph& graph, const Node& node) {
    const ElementwiseChain chain(node.spec, int64_t(node.inputs.size()));
    std::vector<bool> known;
    for (const ValueId input : node.inputs) known.push_back(bool(graph.fact(input).constant));
    for (const auto& link : chain.links) {
      const bool folds = known[size_t(link.first)] && (link.second < 0 || known[size_t(link.second)]);
      known.push_back(folds);
      if (!folds) links.emplace_back(link.op, link.alpha, link.beta);
    }
  }

  bool add_links(const Graph& graph, const Node& node) {
    if (is_op(node, "Elementwise", kInternalDomain)) {
      add_chain(graph, node);
      return true;
    }
    if (const std::string_view conversion = half_link(graph, node); !conversion.empty()) {
      links.emplace_back(conversion, 0.0f, 0.0f);
      return true;
    }
    if (node.spec.domain.empty() && binary_function(node.spec.op_type)) {
      links.emplace_back(node.spec.op_type, 0.0f, 0.0f);
      return true;
    }
    const auto activation = activation_of(graph, node);
    if (activation) links.emplace_back(activation->function->name, activation->alpha, activation->beta);
    return activation.has_value();
  }
};

bool same_operator(const Node& a, const Node& b) {
  return a.spec.domain == b.spec.domain && a.spec.op_type == b.spec.op_type && equal_specs(a.spec, b.spec);
}

}  // namespace

bool compute_alike(const Graph& a, const Graph& b) {
  const Computation left(a);
  Computation right(b);
  if (left.links != right.links || left.others.size() != right.others.size()) return false;
  for (const Node* node : left.others) {
    const auto twin = std::find_if(right.others.begin(), right.others.end(),
                                   [&](const Node* other) { return same_operator(*node, *other); });
    if (twin == right.others.end()) return false;
    right.others.erase(twin);
  }
  return true;
}

}  // namespace linnet
