#pragma once

#include "gemm/matrix_product.h"
#include "linnet/fact.h"

namespace linnet {

/// The dims of numpy.matmul's result for operands of at least one dim each. Throws Error(kShape) where they do not fit.
Dims matmul_dims(const Dims& a, const Dims& b);

/// The product of operands that matmul_dims() takes: one matrix for each combination of the batch dims.
MatrixProduct matmul_product(const Shape& a, const Shape& b);

/// All dims but the last two.
Shape batch_shape(const Shape& shape);

}  // namespace linnet
