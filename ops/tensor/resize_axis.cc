#include "tensor/resize_axis.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace linnet {
namespace {

using Coordinates = ResizeMode::Coordinates;
using Filter = ResizeMode::Filter;
using Nearest = ResizeMode::Nearest;

template <class E, size_t N>
E by_name(const char* attribute, const std::string& name, const std::pair<const char*, E> (&entries)[N]) {
  for (const auto& [known, value] : entries) {
    if (name == known) return value;
  }
  throw Error(ErrorKind::kModel, str(attribute, " '", name, "' is unknown"));
}

Filter read_filter(const NodeSpec& node) {
  static constexpr std::pair<const char*, Filter> kNames[] = {{"nearest", Filter::kNearest},
                                                              {"linear", Filter::kLinear},
                                                              {"bilinear", Filter::kLinear},
                                                              {"cubic", Filter::kCubic}};
  return by_name("mode", node.attr_or("mode", "nearest"), kNames);
}

Coordinates read_coordinates(const NodeSpec& node) {
  static constexpr std::pair<const char*, Coordinates> kNames[] = {
      {"half_pixel", Coordinates::kHalfPixel},
      {"half_pixel_symmetric", Coordinates::kHalfPixelSymmetric},
      {"pytorch_half_pixel", Coordinates::kPytorchHalfPixel},
      {"align_corners", Coordinates::kAlignCorners},
      {"asymmetric", Coordinates::kAsymmetric},
      {"tf_half_pixel_for_nn", Coordinates::kTfHalfPixelForNn},
      {"tf_crop_and_resize", Coordinates::kTfCropAndResize}};
  return by_name("coordinate_transformation_mode", node.attr_or("coordinate_transformation_mode", "half_pixel"),
                 kNames);
}

Nearest read_nearest(const NodeSpec& node) {
  static constexpr std::pair<const char*, Nearest> kNames[] = {{"round_prefer_floor", Nearest::kRoundPreferFloor},
                                                               {"round_prefer_ceil", Nearest::kRoundPreferCeil},
                                                               {"floor", Nearest::kFloor},
                                                               {"ceil", Nearest::kCeil}};
  return by_name("nearest_mode", node.attr_or("nearest_mode", "round_prefer_floor"), kNames);
}

/// The input coordinate of an output coordinate.
float source_coordinate(Coordinates mode, const ResizeSpan& s, int64_t out) {
  const auto x = float(out), last = float(s.in - 1), length = s.scale * float(s.in);
  const float half_pixel = (x + 0.5f) / s.scale - 0.5f;
  switch (mode) {
    case Coordinates::kHalfPixel:
      return half_pixel;
    case Coordinates::kHalfPixelSymmetric:
      // From left to right, as the specification writes it: another order may miss an exact integer.
      return float(s.in) / 2 * (1 - float(s.out) / length) + (x + 0.5f) / s.scale - 0.5f;
    case Coordinates::kPytorchHalfPixel:
      return s.out > 1 ? half_pixel : 0.0f;
    case Coordinates::kAlignCorners:
      return length == 1.0f || s.out == 1 ? 0.0f : x * last / (length - 1);
    case Coordinates::kAsymmetric:
      return x / s.scale;
    case Coordinates::kTfHalfPixelForNn:
      return (x + 0.5f) / s.scale;
    case Coordinates::kTfCropAndResize:
      break;
  }
  const float extent = (s.roi_end - s.roi_begin) * last;
  return s.roi_begin * last + (s.out > 1 ? x * extent / (length - 1) : extent / 2);
}

float round_coordinate(Nearest mode, float x, bool shrinks) {
  const float below = std::floor(x), fraction = x - below;
  switch (mode) {
    case Nearest::kRoundPreferFloor:
      return fraction <= 0.5f ? below : below + 1;
    case Nearest::kRoundPreferCeil:
      return fraction < 0.5f ? below : below + 1;
    case Nearest::kFloor:
      return below;
    case Nearest::kCeil:
      return std::ceil(x);
    case Nearest::kUpFloorDownCeil:
      break;
  }
  return shrinks ? std::ceil(x) : below;
}

/// The weight of a neighbour `distance` >= 0 away.
float filter_weight(const ResizeMode& mode, float distance) {
  if (mode.filter == Filter::kLinear) return std::max(0.0f, 1 - distance);
  const float a = mode.cubic_a, d = distance;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0.0f;
}

int64_t clamp_index(float index, int64_t in) {
  const float last = float(in - 1);
  return index >= last ? in - 1 : index > 0 ? int64_t(index) : 0;
}

void add_neighbours(const ResizeMode& mode, float x, float shrink, int64_t first, ResizeAxis& axis) {
  const float below = std::floor(x), fraction = x - below;
  float sum = 0;
  for (int64_t t = 0; t < axis.taps; ++t) {
    const float offset = float(first + t), position = below + offset;
    float weight = filter_weight(mode, std::abs(offset - fraction) * shrink);
    if (mode.exclude_outside && (position < 0 || position > float(axis.in - 1))) weight = 0;
    sum += weight;
    axis.index.push_back(clamp_index(position, axis.in));
    axis.weight.push_back(weight);
  }
  if ((!mode.exclude_outside && !mode.antialias) || sum == 0) return;
  for (auto weight = axis.weight.end() - axis.taps; weight != axis.weight.end(); ++weight) *weight /= sum;
}

}  // namespace

ResizeMode::ResizeMode(const NodeSpec& node)
    : filter(read_filter(node)),
      coordinates(read_coordinates(node)),
      nearest(read_nearest(node)),
      cubic_a(node.attr_or("cubic_coeff_a", -0.75f)),
      exclude_outside(node.attr_or("exclude_outside", false)),
      antialias(node.attr_or("antialias", false)),
      extrapolation_value(node.attr_or("extrapolation_value", 0.0f)) {
  if (antialias && filter == Filter::kNearest) {
    throw Error(ErrorKind::kModel, "antialias needs mode linear or cubic, got nearest");
  }
  if (node.domain.empty() && node.opset < 11) {
    coordinates = Coordinates::kAsymmetric;
    nearest = node.op_type == "Resize" ? Nearest::kUpFloorDownCeil : Nearest::kFloor;
  }
}

bool ResizeAxis::any_outside() const { return std::find(outside.begin(), outside.end(), 1) != outside.end(); }

bool ResizeAxis::identity() const {
  if (in != out || std::find(outside.begin(), outside.end(), 1) != outside.end()) return false;
  for (int64_t i = 0; i < out * taps; ++i) {
    const bool itself = index[size_t(i)] == i / taps;
    if (weight[size_t(i)] != 0 && !(itself && weight[size_t(i)] == 1)) return false;
  }
  return true;
}

ResizeAxis make_resize_axis(const ResizeMode& mode, const ResizeSpan& span) {
  ResizeAxis axis{.in = span.in, .out = span.out, .taps = 1, .index = {}, .weight = {}, .outside = {}};
  const float shrink = mode.antialias ? std::min(span.scale, 1.0f) : 1.0f;
  int64_t first = 0;
  if (mode.filter != Filter::kNearest) {
    const float support = (mode.filter == Filter::kLinear ? 1.0f : 2.0f) / shrink;
    if (!(support * float(span.out) < 0x1p30f)) {
      throw Error(ErrorKind::kLimit, str("resizing ", span.in, " elements to ", span.out, " needs too large a filter"));
    }
    first = int64_t(std::floor(-support)) + 1;
    axis.taps = 2 - 2 * first;
  }
  for (int64_t out = 0; out < span.out; ++out) {
    const float x = source_coordinate(mode.coordinates, span, out);
    const bool crops = mode.coordinates == Coordinates::kTfCropAndResize;
    axis.outside.push_back(crops && !(x >= 0 && x <= float(span.in - 1)));
    if (mode.filter == Filter::kNearest) {
      axis.index.push_back(clamp_index(round_coordinate(mode.nearest, x, span.scale < 1), span.in));
      axis.weight.push_back(1);
    } else {
      add_neighbours(mode, x, shrink, first, axis);
    }
  }
  return axis;
}

}  // namespace linnet
