#pragma once

#include "gemm/matrix_product.h"
#include "linnet/fact.h"

namespace linnet {

/// Returns the dims of numpy.matmul's result for operands of at least one dim each. If they do not match, throws
/// Error(kShape).
Dims matmul_dims(const Dims& a, const Dims& b);

/// Returns the product of operands that matmul_dims() accepts, with one matrix for each combination of the batch dims.
MatrixProduct matmul_product(const Shape& a, const Shape& b);

/// Returns all dims but the last two.
Shape batch_shape(const Shape& shape);

}  // namespace linnet
