#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "linnet/node_spec.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The mapping of coordinates and the weights of neighbours.
struct ResizeMode {
  enum class Filter { kNearest, kLinear, kCubic };
  enum class Coordinates {
    kHalfPixel,
    kHalfPixelSymmetric,
    kPytorchHalfPixel,
    kAlignCorners,
    kAsymmetric,
    kTfHalfPixelForNn,
    kTfCropAndResize,
  };
  /// kUpFloorDownCeil is the rounding of Resize before nearest_mode existed.
  enum class Nearest { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil, kUpFloorDownCeil };

  /// Reads the attributes of Resize and Upsample of any version. Throws Error(kModel) for unknown names.
  explicit ResizeMode(const NodeSpec& node);

  Filter filter;
  Coordinates coordinates;
  Nearest nearest;
  float cubic_a;
  bool exclude_outside, antialias;
  float extrapolation_value;
};

/// Returns the internal channels-last operator that is equivalent to a Resize of any version. Its inputs are those of
/// opset 11; earlier versions have no roi.
NodeSpec internal_resize(NodeSpec spec);

/// The input and output extents of one axis.
struct ResizeSpan {
  int64_t in = 1, out = 1;
  double to = 1, from = 1;           ///< The scale is to / from, equal to out / in before rounding.
  float roi_begin = 0, roi_end = 1;  ///< The region of tf_crop_and_resize, as fractions of the axis.
};

/// For each output coordinate of an axis, the `taps` input coordinates that it is interpolated from, and their weights.
struct ResizeAxis {
  int64_t in = 1, out = 1, taps = 1;
  CountedVector<int64_t> index;          ///< [out, taps]
  CountedVector<double> weight;          ///< [out, taps]
  CountedVector<float> weight_f32;       ///< The same weights for kernels that sum in float32.
  CountedVector<unsigned char> outside;  ///< Whether each output coordinate receives the extrapolation value; [out].

  template <class Real>
  const Real* weights() const {
    if constexpr (std::is_same_v<Real, float>) return weight_f32.data();
    if constexpr (std::is_same_v<Real, double>) return weight.data();
  }

  /// Whether the resize leaves the axis unchanged.
  bool identity() const;
  bool any_outside() const;
};

/// Computes the taps and weights of an axis. If sizes are given, coordinates are quotients of whole numbers that are
/// rounded once, so that those halfway between two elements are exact.
/// Source: https://onnx.ai/onnx/operators/onnx__Resize.html
ResizeAxis make_resize_axis(const ResizeMode& mode, const ResizeSpan& span);

}  // namespace linnet
