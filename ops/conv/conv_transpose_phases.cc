#include "conv/conv_transpose_phases.h"

#include <algorithm>

#include "partition/checkpoints.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

constexpr int64_t kMostPhases = int64_t{1} << 20;

struct AxisPhase {
  TransposePhase::Axis axis;
  CountedVector<std::pair<int64_t, int64_t>> taps;  // kernel position, input offset
};

/// Output o receives x[i] * w[k] where i * stride + k * dilation = o + pad. With o + pad = base * stride + rest this
/// holds for every k with k * dilation = rest modulo the stride, at i = base - (k * dilation - rest) / stride.
CountedVector<AxisPhase> axis_phases(const ConvAxis& axis) {
  Checkpoints checkpoints;
  CountedVector<AxisPhase> phases;
  for (int64_t first = 0; first < std::min(axis.stride, axis.out); ++first) {
    AxisPhase phase;
    const int64_t rest = (first + axis.pad_begin) % axis.stride;
    phase.axis = {first, (axis.out - 1 - first) / axis.stride + 1, (first + axis.pad_begin) / axis.stride};
    for (int64_t k = 0; k < axis.kernel; ++k) {
      const int64_t at = k * axis.dilation - rest;
      if (at % axis.stride == 0) phase.taps.emplace_back(k, -at / axis.stride);
    }
    phases.push_back(std::move(phase));
    checkpoints.add(checked_mul(8, axis.kernel));
  }
  return phases;
}

TransposePhase combine(const ConvGeometry& geometry, const AxisPhase& depth, const AxisPhase& height,
                       const AxisPhase& width) {
  TransposePhase phase;
  phase.axes = {depth.axis, height.axis, width.axis};
  for (const auto& [kz, z] : depth.taps) {
    for (const auto& [ky, y] : height.taps) {
      for (const auto& [kx, x] : width.taps) {
        phase.taps.push_back({(kz * geometry.axes[1].kernel + ky) * geometry.axes[2].kernel + kx, {z, y, x}});
      }
    }
  }
  return phase;
}

}  // namespace

CountedVector<TransposePhase> transpose_phases(const ConvGeometry& geometry) {
  int64_t count = 1;
  for (const ConvAxis& axis : geometry.axes) count = checked_mul(count, std::min(axis.stride, axis.out));
  if (count > kMostPhases) {
    throw Error(ErrorKind::kLimit, str("strides may make up to 2^20 phases, these make ", count));
  }
  CountedVector<TransposePhase> phases;
  const auto heights = axis_phases(geometry.axes[1]), widths = axis_phases(geometry.axes[2]);
  for (const AxisPhase& depth : axis_phases(geometry.axes[0])) {
    for (const AxisPhase& height : heights) {
      for (const AxisPhase& width : widths) phases.push_back(combine(geometry, depth, height, width));
    }
  }
  return phases;
}

}  // namespace linnet
