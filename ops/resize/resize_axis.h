#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "linnet/node_spec.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// How Resize maps coordinates and weighs neighbours.
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
  /// kUpFloorDownCeil: what Resize did before it had a nearest_mode.
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

/// The internal, channels-last operator with the attributes that a Resize of any version means. Its inputs are those of
/// opset 11: before, there is no roi.
NodeSpec internal_resize(NodeSpec spec);

/// One axis to be resized.
struct ResizeSpan {
  int64_t in = 1, out = 1;
  double to = 1, from = 1;           ///< their quotient is the scale, out / in before rounding
  float roi_begin = 0, roi_end = 1;  ///< of tf_crop_and_resize, as fractions of the axis
};

/// For each output coordinate of an axis the `taps` input coordinates that it is made of, and their weights.
struct ResizeAxis {
  int64_t in = 1, out = 1, taps = 1;
  CountedVector<int64_t> index;          ///< [out, taps]
  CountedVector<double> weight;          ///< [out, taps]
  CountedVector<float> weight_f32;       ///< the same for kernels that sum in float32
  CountedVector<unsigned char> outside;  ///< [out]: receives the extrapolation value

  template <class Real>
  const Real* weights() const {
    if constexpr (std::is_same_v<Real, float>) return weight_f32.data();
    if constexpr (std::is_same_v<Real, double>) return weight.data();
  }

  /// Leaves the axis as it is.
  bool identity() const;
  bool any_outside() const;
};

/// Source: https://onnx.ai/onnx/operators/onnx__Resize.html. Coordinates are quotients of whole numbers where sizes are
/// given, and rounded once: those halfway between two elements are exact.
ResizeAxis make_resize_axis(const ResizeMode& mode, const ResizeSpan& span);

}  // namespace linnet
