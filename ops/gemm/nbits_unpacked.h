#pragma once

#include "gemm/nbits_strips.h"

namespace linnet {

/// Products of many rows with panels that are unpacked once for all rows, some blocks at a time. The results are
/// bit-identical to those of NBitsFloatKernels::multiply.
class UnpackedNBits {
 public:
  /// scratch: scratch_bytes() of one worker.
  UnpackedNBits(const NBitsFloatKernels& kernels, const NBitsForm& form, std::byte* scratch);

  /// Returns the products [rows, count * lanes] of strips with `count` panels, one or two. Strips have at most
  /// NBitsFloatKernels::unpacked_rows rows. The result is valid until the next call.
  const float* multiply(const NBitsStrips<float>& strips, const std::byte* panels, int count) const;

  /// Throws Error(kLimit) on overflow.
  static size_t scratch_bytes(const NBitsForm& form, int64_t rows);

 private:
  void multiply_blocks(const NBitsStrips<float>& strips, int64_t first, int64_t blocks, int count) const;

  const NBitsFloatKernels& kernels_;
  NBitsForm form_;
  float *codes_, *scales_, *totals_;
};

}  // namespace linnet
