#pragma once

#include <array>

#include "conv/conv_geometry.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The outputs of a transposed convolution whose position is the same modulo the stride on every axis: all of them
/// are reached through the same kernel positions, so that they are an ordinary convolution of stride 1 with those.
/// The geometry is that of the transposed convolution: `in` and `out` are its input's and output's extents.
struct TransposePhase {
  /// A kernel position, and where the input value that it multiplies lies, relative to the output's base.
  struct Tap {
    int64_t kernel = 0;
    std::array<int64_t, 3> offset{};
  };
  /// Output number i on an axis is at position first + i * stride; its base in the input is base + i.
  struct Axis {
    int64_t first = 0, count = 0, base = 0;
  };

  CountedVector<Tap> taps;
  std::array<Axis, 3> axes{};

  int64_t lines() const { return axes[0].count * axes[1].count; }
};

/// All phases that have outputs. Throws Error(kLimit) for more than 2^20.
CountedVector<TransposePhase> transpose_phases(const ConvGeometry& geometry);

}  // namespace linnet
