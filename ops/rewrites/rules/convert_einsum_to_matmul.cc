#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "math/einsum_equation.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

using Labels = std::vector<EinsumLabel>;

bool contains(const Labels& labels, EinsumLabel label) { return std::ranges::count(labels, label) > 0; }

/// Those that `all` has and the others have, or lack.
Labels chosen(const Labels& all, const Labels& others, bool have) {
  Labels result;
  std::ranges::copy_if(all, std::back_inserter(result), [&](EinsumLabel l) { return contains(others, l) == have; });
  return result;
}

Labels operator+(Labels a, const Labels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The axes of a product of matrices: those that count the matrices, of rows, of columns, and summed.
struct Roles {
  Labels batch, rows, columns, summed;
};

/// Each label once in an operand, and in another one or the output.
std::optional<Roles> roles_of(const EinsumLabels& labels) {
  const Labels &a = labels.operands[0], &b = labels.operands[1], &y = labels.output;
  Roles roles{chosen(chosen(y, a, true), b, true), chosen(y, b, false), chosen(y, a, false), chosen(a, y, false)};
  const auto has = [](const Labels& all, const Labels& wanted) {
    return all.size() == wanted.size() && std::ranges::is_permutation(all, wanted);
  };
  const bool fits = !roles.summed.empty() && has(a, roles.batch + roles.rows + roles.summed) &&
                    has(b, roles.batch + roles.columns + roles.summed);
  return fits ? std::optional(roles) : std::nullopt;
}

using LabelDims = std::map<EinsumLabel, Dim>;

/// The dims by label; nullopt where they are not certain or those of one label differ.
std::optional<LabelDims> dims_of(const EinsumLabels& labels, const std::array<const Fact*, 2>& operands) {
  LabelDims result;
  for (size_t k = 0; k < 2; ++k) {
    for (size_t i = 0; i < labels.operands[k].size(); ++i) {
      const Dim& dim = operands[k]->dim(int(i));
      const auto [entry, added] = result.emplace(labels.operands[k][i], dim);
      if (dim == Dim(0) || (!added && !(entry->second == dim))) return std::nullopt;
    }
  }
  return result;
}

Dims dims_at(const Labels& labels, const LabelDims& dims) {
  Dims result;
  for (const EinsumLabel label : labels) result.push_back(dims.at(label));
  return result;
}

/// One axis in place of several.
std::optional<Dims> merged(const Labels& labels, const LabelDims& dims) {
  if (labels.size() == 1) return dims_at(labels, dims);
  int64_t size = 1;
  for (const EinsumLabel label : labels) {
    if (!dims.at(label).known()) return std::nullopt;
    size = checked_mul(size, dims.at(label).value());
  }
  return Dims{Dim(size)};
}

/// What a Reshape from `from` takes to give `to`: 0 for what stays in its place unknown, -1 for one other unknown dim.
std::optional<std::vector<int64_t>> reshape_to(const Dims& to, const Dims& from) {
  std::vector<int64_t> result;
  for (size_t i = 0; i < to.size(); ++i) {
    const bool stays = i < from.size() && from[i] == to[i];
    result.push_back(to[i].known() ? to[i].value() : stays ? 0 : -1);
  }
  return std::ranges::count(result, -1) <= 1 ? std::optional(result) : std::nullopt;
}

/// Writes the product into a patch; `fails` where a shape that it needs is not known.
struct Writer {
  const Node& node;
  const LabelDims& dims;
  Patch patch;
  bool fails = false;

  ValueId transposed(ValueId x, const Labels& from, const Labels& to) {
    if (from == to) return x;
    std::vector<int64_t> perm;
    for (const EinsumLabel label : to) perm.push_back(std::ranges::find(from, label) - from.begin());
    return add_transpose(patch, node, x, perm);
  }

  ValueId reshaped(ValueId x, const Dims& from, const std::optional<Dims>& to) {
    if (to == from) return x;
    const auto shape = to ? reshape_to(*to, from) : std::nullopt;
    fails |= !shape;
    return fails ? x : add_reshape(patch, node, x, *shape);
  }

  /// Two groups of labels behind `batch`, each as one axis; the first as they are where it may have any rank.
  ValueId matrix(ValueId x, const Labels& from, const Labels& batch, const Labels& first, const Labels& second,
                 bool any_rank) {
    const Labels order = batch + first + second;
    Dims to = dims_at(batch, dims);
    const auto rows = any_rank ? std::optional(dims_at(first, dims)) : merged(first, dims);
    const auto columns = merged(second, dims);
    fails |= !rows || !columns;
    if (fails) return x;
    to.insert(to.end(), rows->begin(), rows->end());
    to.insert(to.end(), columns->begin(), columns->end());
    return reshaped(transposed(x, from, order), dims_at(order, dims), to);
  }
};

/// The operands as they are multiplied: first the one whose labels the output names first.
struct Operands {
  EinsumLabels labels;
  std::array<ValueId, 2> values;
};

Operands in_order(const Graph& graph, const Node& node) {
  const std::array ranks{graph.input_fact(node, 0).rank(), graph.input_fact(node, 1).rank()};
  Operands result{EinsumEquation(node.spec.attr<std::string>("equation")).labels(ranks),
                  {node.inputs[0], node.inputs[1]}};
  auto& operands = result.labels.operands;
  const auto of_one = std::ranges::find_if(result.labels.output, [&](EinsumLabel label) {
    return contains(operands[0], label) != contains(operands[1], label);
  });
  if (of_one != result.labels.output.end() && contains(operands[1], *of_one)) {
    std::swap(operands[0], operands[1]);
    std::swap(result.values[0], result.values[1]);
  }
  return result;
}

bool multiplies_matrices(const Graph& graph, const Node& node) {
  if (!is_op(node, "Einsum") || node.inputs.size() != 2) return false;
  const Fact &a = graph.input_fact(node, 0), &b = graph.input_fact(node, 1);
  return a.has_rank() && b.has_rank() && (a.dtype == DType::kFloat32 || a.dtype == DType::kFloat64);
}

}  // namespace

// Einsum of two operands in floats -> MatMul, with the Transposes and Reshapes that it takes: each letter stands in two
// of the operands and the output, at least one in both operands alone. Attention of Keras and JAX, and its projections.
std::optional<Patch> convert_einsum_to_matmul(const Graph& graph, const Node& node) {
  if (!multiplies_matrices(graph, node)) return std::nullopt;
  const auto [labels, values] = in_order(graph, node);
  const auto roles = roles_of(labels);
  const auto dims = dims_of(labels, {&graph.fact(values[0]), &graph.fact(values[1])});
  if (!roles || !dims) return std::nullopt;
  const auto& [batch, rows, columns, summed] = *roles;
  // Rows of several axes are rows all the same where all are multiplied by one matrix.
  const bool any_rank = batch.empty() && !rows.empty();
  Writer writer{node, *dims, Patch(graph)};
  const ValueId a = writer.matrix(values[0], labels.operands[0], batch, rows, summed, any_rank);
  const ValueId b = writer.matrix(values[1], labels.operands[1], batch, summed, columns, false);
  if (writer.fails) return std::nullopt;
  const ValueId product = writer.patch.add(standard_spec(node, "MatMul", 13), {a, b});
  Dims from = dims_at(batch, *dims);
  const Dims kept = any_rank ? dims_at(rows, *dims) : *merged(rows, *dims);
  from.insert(from.end(), kept.begin(), kept.end());
  from.push_back(merged(columns, *dims)->front());
  const Labels order = batch + rows + columns;
  const ValueId split = writer.reshaped(product, from, dims_at(order, *dims));
  if (writer.fails) return std::nullopt;
  writer.patch.replace(node.outputs[0], writer.transposed(split, order, labels.output));
  return std::move(writer.patch);
}

}  // namespace linnet
