#pragma once

#include <map>
#include <optional>
#include <vector>

#include "graph/patch.h"
#include "products/einsum_equation.h"

// Einsum as rewrites take it apart.
namespace linnet {

using EinsumAxes = std::vector<EinsumLabel>;

bool contains(const EinsumAxes& labels, EinsumLabel label);
/// Those of `all` that `others` has, or lacks.
EinsumAxes those_in(const EinsumAxes& all, const EinsumAxes& others);
EinsumAxes those_not_in(const EinsumAxes& all, const EinsumAxes& others);

using LabelDims = std::map<EinsumLabel, Dim>;
/// The dims of `labels`, in their order.
Dims dims_at(const EinsumAxes& labels, const LabelDims& dims);

/// The operands of an Einsum and what its axes are.
struct EinsumTerms {
  struct Operand {
    ValueId value;
    EinsumAxes labels;
    LabelDims dims;
  };

  std::vector<Operand> operands;
  EinsumAxes output;
  LabelDims dims;  ///< of the product: an operand's dim may be 1 instead
};

/// nullopt where the node is no Einsum of a dtype that MatMul and ReduceSum take exactly enough (16-bit floats would be
/// rounded between the steps), a rank is not known, dims of one label are not known to agree, a dim is 0, or there are
/// more labels than letters.
std::optional<EinsumTerms> einsum_terms(const Graph& graph, const Node& node);

/// Adds an Einsum of these operands.
ValueId add_einsum(Patch& patch, const Node& for_node, const std::vector<EinsumTerms::Operand>& operands,
                   const EinsumAxes& output);

/// Adds a Transpose from the order `from` to that of `to`, unless they are equal.
ValueId add_label_transpose(Patch& patch, const Node& for_node, ValueId x, const EinsumAxes& from,
                            const EinsumAxes& to);

}  // namespace linnet
