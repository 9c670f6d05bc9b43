#pragma once

#include "kernels/gemm.h"

namespace linnet {

/// A family that exists only for tests: products in emulated tile registers. The `wide` kernels have vectors of 16
/// columns, as in AVX-512. The others have the vectors of the base set, and the whole epilogue.
struct EmulatedAmxKernels {
  GemmKernels<GemmU8> bytes, wide_bytes;
  GemmKernels<GemmBFloat16Pairs> pairs, wide_pairs;

  /// Returns what a processor would reject, or a state that a program must not leave, and clears it; null if there was
  /// no fault.
  const char* (*fault)();
  /// Returns the multiply-adds since the last call.
  int64_t (*multiply_adds)();
};

}  // namespace linnet
