#pragma once

#include "gemm/matrix_product.h"
#include "kernels/epilogue.h"

namespace linnet {

/// A float32 product in which one operand is a vector and the other one is read once, in place: by a B of one column,
/// or of an A of one row by a B that is not constant; or a product by a B that is not constant and whose rows fit a
/// vector of the processor. The activation is an epilogue of functions alone. Returns nullptr for other products, for
/// bfloat16 products and for an activation with a slope.
KernelPtr make_vector_product(const MatrixProduct& product, const Epilogue& activation, const CompileInput& in);

}  // namespace linnet
