#include <algorithm>
#include <numeric>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/einsum_nodes.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"

namespace linnet {
namespace {

EinsumAxes operator+(EinsumAxes a, const EinsumAxes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The labels of a matrix product by role: those that count the matrices, of rows, of columns, and of summed axes.
struct Roles {
  EinsumAxes batch, rows, columns, summed;
};

/// Assigns the labels of two operands. Each label must be in two of the operands and the output, at least one in both
/// operands only, and summed dims must be equal in both; else nullopt.
std::optional<Roles> roles_of(const EinsumTerms& terms) {
  const auto &a = terms.operands[0], &b = terms.operands[1];
  const EinsumAxes& y = terms.output;
  Roles roles{those_in(those_in(y, a.labels), b.labels), those_not_in(y, b.labels), those_not_in(y, a.labels),
              those_not_in(a.labels, y)};
  const auto has = [](const EinsumAxes& all, const EinsumAxes& wanted) {
    return all.size() == wanted.size() && std::ranges::is_permutation(all, wanted);
  };
  const bool fits = !roles.summed.empty() && has(a.labels, roles.batch + roles.rows + roles.summed) &&
                    has(b.labels, roles.batch + roles.columns + roles.summed) &&
                    certainly_equal(dims_at(roles.summed, a.dims), dims_at(roles.summed, b.dims));
  return fits ? std::optional(roles) : std::nullopt;
}

/// The dims of several axes merged into one; nullopt if the product of their dims is unknown.
std::optional<Dims> merged(const EinsumAxes& labels, const LabelDims& dims) {
  if (labels.size() == 1) return dims_at(labels, dims);
  int64_t size = 1;
  for (const EinsumLabel label : labels) {
    if (!dims.at(label).known()) return std::nullopt;
    size = checked_mul(size, dims.at(label).value());
  }
  return Dims{Dim(size)};
}

/// The shape input of a Reshape from `from` to `to`: 0 for an unknown dim that keeps its position, -1 for one other
/// unknown dim; nullopt if there are more of the latter.
std::optional<std::vector<int64_t>> reshape_to(const Dims& to, const Dims& from) {
  std::vector<int64_t> result;
  for (size_t i = 0; i < to.size(); ++i) {
    const bool stays = i < from.size() && certainly_equal(from[i], to[i]);
    result.push_back(to[i].known() ? to[i].value() : stays ? 0 : -1);
  }
  return std::ranges::count(result, -1) <= 1 ? std::optional(result) : std::nullopt;
}

/// Writes the product into a patch; sets `fails` if a shape that it needs is unknown.
struct Writer {
  const Node& node;
  Patch patch;
  bool fails = false;

  ValueId reshaped(ValueId x, const Dims& from, const std::optional<Dims>& to) {
    if (to && certainly_equal(*to, from)) return x;
    const auto shape = to ? reshape_to(*to, from) : std::nullopt;
    fails |= !shape;
    return fails ? x : add_reshape(patch, node, x, *shape);
  }

  /// An operand as matrices: the axes of `batch`, then one axis each for `first` and `second`. With any_rank, the axes
  /// of `first` stay separate.
  ValueId matrix(const EinsumTerms::Operand& x, const EinsumAxes& batch, const EinsumAxes& first,
                 const EinsumAxes& second, bool any_rank) {
    const EinsumAxes order = batch + first + second;
    Dims to = dims_at(batch, x.dims);
    const auto rows = any_rank ? std::optional(dims_at(first, x.dims)) : merged(first, x.dims);
    const auto columns = merged(second, x.dims);
    fails |= !rows || !columns;
    if (fails) return x.value;
    to.insert(to.end(), rows->begin(), rows->end());
    to.insert(to.end(), columns->begin(), columns->end());
    return reshaped(add_label_transpose(patch, node, x.value, x.labels, order), dims_at(order, x.dims), to);
  }
};

/// Swaps the operands if the first label of the output that only one operand has is in the second operand.
void order_operands(EinsumTerms& terms) {
  const EinsumAxes &a = terms.operands[0].labels, &b = terms.operands[1].labels;
  const auto of_one =
      std::ranges::find_if(terms.output, [&](EinsumLabel label) { return contains(a, label) != contains(b, label); });
  if (of_one != terms.output.end() && contains(b, *of_one)) std::swap(terms.operands[0], terms.operands[1]);
}

}  // namespace

// Einsum of two operands -> MatMul, with Transposes and Reshapes as needed. Each label must be in two of the operands
// and the output, and at least one in both operands only. Attention and its projections have this form in Keras and
// JAX.
LINNET_DEFINE_REWRITE(convert_einsum_to_matmul, "Einsum")(const Graph& graph, const Node& node) {
  auto terms = einsum_terms(graph, node);
  if (!terms || terms->operands.size() != 2) return std::nullopt;
  order_operands(*terms);
  const auto roles = roles_of(*terms);
  if (!roles) return std::nullopt;
  const auto& [batch, rows, columns, summed] = *roles;
  const LabelDims& dims = terms->dims;
  // With a single matrix as second operand, the rows may have several axes.
  const bool any_rank = batch.empty() && !rows.empty();
  Writer writer{node, Patch(graph)};
  const ValueId a = writer.matrix(terms->operands[0], batch, rows, summed, any_rank);
  const ValueId b = writer.matrix(terms->operands[1], batch, summed, columns, false);
  if (writer.fails) return std::nullopt;
  const ValueId product = writer.patch.add(standard_spec(node, "MatMul", 13), {a, b});
  Dims from = dims_at(batch, dims);
  const Dims kept = any_rank ? dims_at(rows, dims) : *merged(rows, dims);
  from.insert(from.end(), kept.begin(), kept.end());
  from.push_back(merged(columns, dims)->front());
  const EinsumAxes order = batch + rows + columns;
  const ValueId split = writer.reshaped(product, from, dims_at(order, dims));
  if (writer.fails) return std::nullopt;
  writer.patch.replace(node.outputs[0], add_label_transpose(writer.patch, node, split, order, terms->output));
  return std::move(writer.patch);
}

}  // namespace linnet
