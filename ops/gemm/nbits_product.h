#pragma once

#include "gemm/nbits_weights.h"

namespace linnet {

/// A matrix product whose inputs are A (float32 [..., k]), the parts of B (see NBitsMatrix) and a bias [n].
struct NBitsProduct {
  NBitsMatrix matrix;
  bool bytes = false;  ///< rows of A are quantised to int8, one scale for each block, and multiplied in integers

  static constexpr int kA = 0, kCodes = 1, kScales = 2, kZeros = 3, kOrder = 4, kBias = 5;
};

/// Parts that are constant are packed once, others in every run.
KernelPtr make_nbits_product(const NBitsProduct& product, const CompileInput& in);

}  // namespace linnet
