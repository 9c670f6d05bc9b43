#pragma once

#include <map>
#include <optional>
#include <vector>

#include "graph/patch.h"
#include "products/einsum_equation.h"

// Helpers for rewrites that split Einsum.
namespace linnet {

using EinsumAxes = std::vector<EinsumLabel>;

bool contains(const EinsumAxes& labels, EinsumLabel label);
/// The labels of `all` that are in `others`, or are not in `others`, in the order of `all`.
EinsumAxes those_in(const EinsumAxes& all, const EinsumAxes& others);
EinsumAxes those_not_in(const EinsumAxes& all, const EinsumAxes& others);

using LabelDims = std::map<EinsumLabel, Dim>;
/// The dims of `labels`, in their order.
Dims dims_at(const EinsumAxes& labels, const LabelDims& dims);

/// The operands and the output of an Einsum, with the labels of their axes.
struct EinsumTerms {
  struct Operand {
    ValueId value;
    EinsumAxes labels;
    LabelDims dims;
  };

  std::vector<Operand> operands;
  EinsumAxes output;
  LabelDims dims;  ///< of the product; an operand's dim may be 1 instead
};

/// The terms of an Einsum; nullopt if
/// - the node is not an Einsum of a dtype that MatMul and ReduceSum compute exactly enough (16-bit floats would be
///   rounded between the steps),
/// - a rank is unknown, the dims of a label are not known to agree, or a dim is 0, or
/// - there are more labels than letters.
std::optional<EinsumTerms> einsum_terms(const Graph& graph, const Node& node);

/// Adds an Einsum of these operands and returns its result.
ValueId add_einsum(Patch& patch, const Node& for_node, const std::vector<EinsumTerms::Operand>& operands,
                   const EinsumAxes& output);

/// Adds a Transpose from the axis order `from` to the order `to`, unless they are equal.
ValueId add_label_transpose(Patch& patch, const Node& for_node, ValueId x, const EinsumAxes& from,
                            const EinsumAxes& to);

}  // namespace linnet
