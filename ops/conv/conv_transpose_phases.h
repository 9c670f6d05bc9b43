#pragma once

#include <array>

#include "conv/conv_geometry.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The outputs of a transposed convolution whose positions are equal modulo the stride on every axis. All of them are
/// reached through the same kernel positions, so they form an ordinary convolution of stride 1 with those positions.
/// The geometry is that of the transposed convolution: `in` and `out` are the extents of its input and output.
struct TransposePhase {
  /// A kernel position and the position of the input value that it multiplies, relative to the output's base.
  struct Tap {
    int64_t kernel = 0;
    std::array<int64_t, 3> offset{};
  };
  /// Output number i on an axis is at position first + i * stride. Its base in the input is base + i.
  struct Axis {
    int64_t first = 0, count = 0, base = 0;
  };

  CountedVector<Tap> taps;
  std::array<Axis, 3> axes{};

  int64_t lines() const { return axes[0].count * axes[1].count; }
};

/// Returns all phases that have outputs. Throws Error(kLimit) if there are more than 2^20.
CountedVector<TransposePhase> transpose_phases(const ConvGeometry& geometry);

}  // namespace linnet
