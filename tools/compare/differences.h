#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

/// An element x agrees with its reference r if |x - r| <= atol + rtol * |r|.
struct Tolerance {
  double atol = 1e-7;
  double rtol = 1e-3;
};

/// The tolerance of an output: that of the flags, otherwise `defaults`. Throws Failure(kUsage) for a malformed flag.
Tolerance tolerance_for(const std::string& output, const AccuracyFlags& flags, const Tolerance& defaults = {});

/// How a tensor differs from its reference.
struct Difference {
  double max_difference = 0;     ///< over all elements; infinite if one is NaN or infinite and the other is not
  int64_t differing = 0;         ///< elements outside the tolerance
  int64_t first = -1;            ///< the first of them, in row-major order
  double signal = 0, noise = 0;  ///< sums of squares of the reference and of the differences, over numbers
  std::string reason;            ///< empty if the tensors agree

  bool agree() const { return reason.empty(); }
  /// The signal-to-noise ratio in decibels; NaN if it is not known.
  double snr_db() const { return 10 * std::log10(signal / noise); }
};

/// Compares as the official ONNX runner does: dtype and shape exactly, NaN equals NaN, numbers within the tolerance,
/// everything else exactly.
Difference compare_tensors(const Tensor& got, const Tensor& expected, const Tolerance& tolerance);

}  // namespace linnet::tool
