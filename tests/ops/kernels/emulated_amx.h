#pragma once

#include "kernels/gemm.h"

namespace linnet {

/// A family that exists for tests only: the products in tile registers, with registers that are emulated. `wide` ones
/// have vectors of 16 columns, as AVX-512 has; the others those of the base set, and all of the epilogue.
struct EmulatedAmxKernels {
  GemmKernels<GemmU8> bytes, wide_bytes;
  GemmKernels<GemmBFloat16Pairs> pairs, wide_pairs;

  /// What was done that a processor refuses, or that a program must not leave behind; null: nothing. Forgets it.
  const char* (*fault)();
  /// Multiplied and added since the last call.
  int64_t (*multiply_adds)();
};

}  // namespace linnet
