#pragma once

#include "expansion/expanded_op.h"

namespace linnet {

/// The operands of a product of 8-bit integers.
struct IntegerProduct {
  ValueId a, b;              ///< [..., M, K], [..., K, N]
  ValueId a_scale, b_scale;  ///< one element; one or [N]
  ValueId a_zero, b_zero;    ///< with the shape of the scales; kNoValue: 0
  ValueId bias;              ///< [N]; kNoValue: 0
};

/// Returns (a - a_zero) * (b - b_zero) as numpy.matmul, times a_scale * b_scale, plus the bias, in float32. Throws
/// Error(kShape) if a parameter of B has neither one element nor one per column, or the bias not one per column.
ValueId integer_product(GraphWriter& graph, const IntegerProduct& product);

}  // namespace linnet
