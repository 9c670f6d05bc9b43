#include <algorithm>
#include <limits>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/einsum_nodes.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

using Operand = EinsumTerms::Operand;

/// The labels of the output and of all operands but these two.
EinsumAxes needed_without(const std::vector<EinsumAxes>& operands, const EinsumAxes& output, size_t a, size_t b) {
  EinsumAxes result = output;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (k != a && k != b) result.insert(result.end(), operands[k].begin(), operands[k].end());
  }
  return result;
}

/// The axes of the product of two operands: first those that both have, which MatMul treats as batches.
EinsumAxes product_axes(const EinsumAxes& a, const EinsumAxes& b, const EinsumAxes& needed) {
  EinsumAxes result = those_in(those_in(a, b), needed);
  for (const auto& own : {those_not_in(a, b), those_not_in(b, a)}) {
    std::ranges::copy(those_in(own, needed), std::back_inserter(result));
  }
  return result;
}

/// The number of multiplications of the product of two operands; an open dim counts as a medium size.
double cost_of(const EinsumAxes& a, const EinsumAxes& b, const LabelDims& dims) {
  constexpr double kOpenDim = 64;
  double cost = 1;
  for (const auto& labels : {a, those_not_in(b, a)}) {
    for (const EinsumLabel label : labels) {
      cost *= dims.at(label).known() ? double(dims.at(label).value()) : kOpenDim;
    }
  }
  return cost;
}

struct Pair {
  double cost = std::numeric_limits<double>::infinity();
  size_t a = 0, b = 0;
};

/// The two operands to multiply first. Among few operands, they begin the cheapest of all orders; among more, they are
/// the cheapest pair.
/// Source: D. G. A. Smith, J. Gray, opt_einsum, Journal of Open Source Software 3 (26), 753, 2018.
Pair first_pair(const std::vector<EinsumAxes>& operands, const EinsumAxes& output, const LabelDims& dims) {
  constexpr size_t kFew = 6;
  Pair best;
  for (size_t a = 0; a < operands.size(); ++a) {
    for (size_t b = a + 1; b < operands.size(); ++b) {
      Pair pair{cost_of(operands[a], operands[b], dims), a, b};
      if (operands.size() <= kFew && operands.size() > 2) {
        std::vector<EinsumAxes> rest = operands;
        rest[a] = product_axes(operands[a], operands[b], needed_without(operands, output, a, b));
        rest.erase(rest.begin() + std::ptrdiff_t(b));
        pair.cost += first_pair(rest, output, dims).cost;
      }
      if (pair.cost < best.cost) best = pair;
    }
  }
  return best;
}

std::vector<EinsumAxes> labels_of(const EinsumTerms& terms) {
  std::vector<EinsumAxes> result;
  for (const Operand& operand : terms.operands) result.push_back(operand.labels);
  return result;
}

/// Replaces an operand of the Einsum.
Patch with_operand(Patch patch, const Node& node, EinsumTerms terms, size_t k, ValueId value, EinsumAxes labels) {
  terms.operands[k] = {value, std::move(labels), {}};
  patch.replace(node.outputs[0], add_einsum(patch, node, terms.operands, terms.output));
  return patch;
}

/// Takes the diagonal of an operand that repeats a label, unless the Einsum does nothing else.
std::optional<Patch> take_diagonal(const Graph& graph, const Node& node, const EinsumTerms& terms) {
  for (size_t k = 0; k < terms.operands.size(); ++k) {
    const Operand& operand = terms.operands[k];
    EinsumAxes once;
    for (const EinsumLabel label : operand.labels) {
      if (!contains(once, label)) once.push_back(label);
    }
    const bool is_all = terms.operands.size() == 1 && once.size() == terms.output.size();
    if (once.size() == operand.labels.size() || is_all) continue;
    Patch patch(graph);
    const ValueId diagonal = add_einsum(patch, node, {operand}, once);
    return with_operand(std::move(patch), node, terms, k, diagonal, once);
  }
  return std::nullopt;
}

/// Sums an operand over the labels that only it has.
std::optional<Patch> sum_alone(const Graph& graph, const Node& node, const EinsumTerms& terms) {
  for (size_t k = 0; k < terms.operands.size(); ++k) {
    const Operand& operand = terms.operands[k];
    const EinsumAxes kept = those_in(operand.labels, needed_without(labels_of(terms), terms.output, k, k));
    if (kept.size() == operand.labels.size()) continue;
    std::vector<int64_t> axes;
    for (size_t d = 0; d < operand.labels.size(); ++d) {
      if (!contains(kept, operand.labels[d])) axes.push_back(int64_t(d));
    }
    Patch patch(graph);
    NodeSpec spec = standard_spec(node, "ReduceSum", 13);
    spec.attributes["keepdims"] = int64_t{0};
    const ValueId reduced = patch.constant(node.spec.name + ".axes", Tensor::of<int64_t>(axes));
    const ValueId sum = patch.add(std::move(spec), {operand.value, reduced});
    return with_operand(std::move(patch), node, terms, k, sum, kept);
  }
  return std::nullopt;
}

std::optional<Patch> multiply_pair(const Graph& graph, const Node& node, EinsumTerms terms) {
  constexpr size_t kMany = 64;  // no order is searched for more, as that takes cubic time
  if (terms.operands.size() < 3 || terms.operands.size() > kMany) return std::nullopt;
  const std::vector<EinsumAxes> labels = labels_of(terms);
  const auto [cost, a, b] = first_pair(labels, terms.output, terms.dims);
  const EinsumAxes axes = product_axes(labels[a], labels[b], needed_without(labels, terms.output, a, b));
  Patch patch(graph);
  const ValueId product = add_einsum(patch, node, {terms.operands[a], terms.operands[b]}, axes);
  terms.operands.erase(terms.operands.begin() + std::ptrdiff_t(b));
  return with_operand(std::move(patch), node, std::move(terms), a, product, axes);
}

}  // namespace

// Einsum -> one step, followed by a simpler Einsum: the diagonal of an operand, the sum over labels that only one
// operand has, or the product of two of more than two operands, in an order with the fewest multiplications.
LINNET_DEFINE_REWRITE(split_einsum, "Einsum")(const Graph& graph, const Node& node) {
  const auto terms = einsum_terms(graph, node);
  if (!terms) return std::nullopt;
  if (auto patch = take_diagonal(graph, node, *terms)) return patch;
  if (auto patch = sum_alone(graph, node, *terms)) return patch;
  return multiply_pair(graph, node, *terms);
}

}  // namespace linnet
