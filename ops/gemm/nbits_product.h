#pragma once

#include "gemm/nbits_packing.h"

namespace linnet {

/// A matrix product whose inputs are A (float32 [..., k]), the parts of B and a bias [n].
struct NBitsProduct {
  NBitsMatrix matrix;
  bool quantized = false;  ///< rows of A become int8, with one scale for each block, and are multiplied in integers
  int a = 0, bias = 5;
  NBitsInputs b{};
};

/// Whether rows of A become int8 at an accuracy_level. They do at 4, and with ModelOptions::fast_int4 also at 0, which
/// leaves the choice open.
bool multiplies_bytes(int64_t accuracy_level, const CompileInput& in);

KernelPtr make_nbits_product(const NBitsProduct& product, const CompileInput& in);

}  // namespace linnet
