#pragma once

#include "gemm/matrix_product.h"

namespace linnet {

/// A product of which one operand is a vector, which reads the other one once, as it lies: of float32, by a B of one
/// column, or of an A of one row by a B that is not constant. nullptr for other products, and for
/// those of bfloat16.
KernelPtr make_vector_product(const MatrixProduct& product, const CompileInput& in);

}  // namespace linnet
