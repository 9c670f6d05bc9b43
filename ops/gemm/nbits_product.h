#pragma once

#include "gemm/nbits_packing.h"

namespace linnet {

/// A matrix product whose inputs are A (float32 [..., k]), the parts of B and a bias [n].
struct NBitsProduct {
  NBitsMatrix matrix;
  bool quantized = false;  ///< rows of A become int8, one scale for each block, and are multiplied in integers
  int a = 0, bias = 5;
  NBitsInputs b{};
};

KernelPtr make_nbits_product(const NBitsProduct& product, const CompileInput& in);

}  // namespace linnet
