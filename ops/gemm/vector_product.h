#pragma once

#include "gemm/matrix_product.h"
#include "kernels/epilogue.h"

namespace linnet {

/// A product of which one operand is a vector, which reads the other one once, as it lies: of float32, by a B of one
/// column, or of an A of one row by a B that is not constant. The activation is an epilogue of functions alone. nullptr
/// for other products, for those of bfloat16 and for an activation with a slope.
KernelPtr make_vector_product(const MatrixProduct& product, const Epilogue& activation, const CompileInput& in);

}  // namespace linnet
