#include "rewrites/matching/einsum_nodes.h"

#include <algorithm>
#include <string_view>

#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool is_taken_apart(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kInt32 || dtype == DType::kInt64 ||
         dtype == DType::kUint32 || dtype == DType::kUint64;
}

/// Sets the dim of a label, or checks it against the known one. Returns whether they agree; a dim of 1 agrees with all.
bool agrees(LabelDims& dims, EinsumLabel label, const Dim& dim) {
  const auto [entry, added] = dims.emplace(label, dim);
  if (added || certainly_equal(entry->second, dim) || certainly_equal(dim, 1)) return true;
  const bool was_one = certainly_equal(entry->second, 1);
  if (was_one) entry->second = dim;
  return was_one;
}

}  // namespace

bool contains(const EinsumAxes& labels, EinsumLabel label) { return std::ranges::count(labels, label) > 0; }

EinsumAxes those_in(const EinsumAxes& all, const EinsumAxes& others) {
  EinsumAxes result;
  std::ranges::copy_if(all, std::back_inserter(result), [&](EinsumLabel l) { return contains(others, l); });
  return result;
}

EinsumAxes those_not_in(const EinsumAxes& all, const EinsumAxes& others) {
  EinsumAxes result;
  std::ranges::copy_if(all, std::back_inserter(result), [&](EinsumLabel l) { return !contains(others, l); });
  return result;
}

Dims dims_at(const EinsumAxes& labels, const LabelDims& dims) {
  Dims result;
  for (const EinsumLabel label : labels) result.push_back(dims.at(label));
  return result;
}

std::optional<EinsumTerms> einsum_terms(const Graph& graph, const Node& node) {
  if (!is_op(node, "Einsum") || !is_taken_apart(graph.input_fact(node, 0).dtype)) return std::nullopt;
  std::vector<int> ranks;
  for (int k = 0; k < int(node.inputs.size()); ++k) {
    if (!graph.input_fact(node, k).has_rank()) return std::nullopt;
    ranks.push_back(graph.input_fact(node, k).rank());
  }
  const EinsumLabels labels = EinsumEquation(node.spec.attr<std::string>("equation")).labels(ranks);
  EinsumTerms terms{.operands = {}, .output = labels.output, .dims = {}};
  for (size_t k = 0; k < labels.operands.size(); ++k) {
    EinsumTerms::Operand operand{node.inputs[k], labels.operands[k], {}};
    for (size_t d = 0; d < operand.labels.size(); ++d) {
      const Dim& dim = graph.input_fact(node, int(k)).dim(int(d));
      const bool once = certainly_equal(operand.dims.emplace(operand.labels[d], dim).first->second, dim);
      if (!once || certainly_equal(dim, 0) || !agrees(terms.dims, operand.labels[d], dim)) return std::nullopt;
    }
    terms.operands.push_back(std::move(operand));
  }
  return terms.dims.size() <= kLetters.size() ? std::optional(terms) : std::nullopt;
}

ValueId add_einsum(Patch& patch, const Node& for_node, const std::vector<EinsumTerms::Operand>& operands,
                   const EinsumAxes& output) {
  std::map<EinsumLabel, char> letters;
  std::string equation;
  std::vector<ValueId> values;
  const auto append = [&](const EinsumAxes& labels) {
    for (const EinsumLabel label : labels) equation += letters.emplace(label, kLetters[letters.size()]).first->second;
  };
  for (const EinsumTerms::Operand& operand : operands) {
    if (!values.empty()) equation += ',';
    append(operand.labels);
    values.push_back(operand.value);
  }
  equation += "->";
  append(output);
  NodeSpec spec = standard_spec(for_node, "Einsum", 12);
  spec.attributes["equation"] = equation;
  return patch.add(std::move(spec), values);
}

ValueId add_label_transpose(Patch& patch, const Node& for_node, ValueId x, const EinsumAxes& from,
                            const EinsumAxes& to) {
  if (from == to) return x;
  std::vector<int64_t> perm;
  for (const EinsumLabel label : to) perm.push_back(std::ranges::find(from, label) - from.begin());
  return add_transpose(patch, for_node, x, perm);
}

}  // namespace linnet
