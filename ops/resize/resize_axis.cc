#include "resize/resize_axis.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "elements/axis_index.h"
#include "partition/checkpoints.h"
#include "registration.h"

namespace linnet {
namespace {

using Coordinates = ResizeMode::Coordinates;
using Filter = ResizeMode::Filter;
using Nearest = ResizeMode::Nearest;

constexpr int64_t kTapWork = 8;  // The work to find a neighbour and its weight.

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

/// Whether the node's version has only one way to map coordinates and to round them.
bool lacks_modes(const NodeSpec& node) { return node.domain.empty() && node.opset < 11; }

// The name of the rounding of Resize before opset 11, which has no name in ONNX.
constexpr const char* kUpFloorDownCeilName = "up_floor_down_ceil";

Nearest read_nearest(const NodeSpec& node) {
  const auto name = node.attr_or("nearest_mode", "round_prefer_floor");
  if (node.domain == kInternalDomain && name == kUpFloorDownCeilName) return Nearest::kUpFloorDownCeil;
  static constexpr std::pair<const char*, Nearest> kNames[] = {{"round_prefer_floor", Nearest::kRoundPreferFloor},
                                                               {"round_prefer_ceil", Nearest::kRoundPreferCeil},
                                                               {"floor", Nearest::kFloor},
                                                               {"ceil", Nearest::kCeil}};
  return by_name("nearest_mode", name, kNames);
}

/// Returns the input coordinate of an output coordinate.
double source_coordinate(Coordinates mode, const ResizeSpan& s, int64_t out) {
  const auto x = double(out), in = double(s.in), last = in - 1, scaled = s.to * in;
  const double half_pixel = ((2 * x + 1) * s.from - s.to) / (2 * s.to);
  switch (mode) {
    case Coordinates::kHalfPixel:
      return half_pixel;
    case Coordinates::kHalfPixelSymmetric:
      return (scaled - double(s.out) * s.from + (2 * x + 1) * s.from - s.to) / (2 * s.to);
    case Coordinates::kPytorchHalfPixel:
      return s.out > 1 ? half_pixel : 0;
    case Coordinates::kAlignCorners:
      return scaled == s.from || s.out == 1 ? 0 : x * last * s.from / (scaled - s.from);
    case Coordinates::kAsymmetric:
      return x * s.from / s.to;
    case Coordinates::kTfHalfPixelForNn:
      return (x + 0.5) * s.from / s.to;
    case Coordinates::kTfCropAndResize:
      break;
  }
  const double extent = double(s.roi_end) - double(s.roi_begin), begin = double(s.roi_begin);
  return s.out > 1 ? last * (begin * (scaled - s.from) + x * extent * s.from) / (scaled - s.from)
                   : last * (begin + extent / 2);
}

double round_coordinate(Nearest mode, double x, bool shrinks) {
  const double below = std::floor(x), fraction = x - below;
  switch (mode) {
    case Nearest::kRoundPreferFloor:
      return fraction <= 0.5 ? below : below + 1;
    case Nearest::kRoundPreferCeil:
      return fraction < 0.5 ? below : below + 1;
    case Nearest::kFloor:
      return below;
    case Nearest::kCeil:
      return std::ceil(x);
    case Nearest::kUpFloorDownCeil:
      break;
  }
  return shrinks ? std::ceil(x) : below;
}

/// Returns the weight of a neighbour at `distance` >= 0.
double filter_weight(const ResizeMode& mode, double distance) {
  if (mode.filter == Filter::kLinear) return std::max(0.0, 1 - distance);
  const double a = double(mode.cubic_a), d = distance;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

void add_neighbours(const ResizeMode& mode, double x, double shrink, int64_t first, ResizeAxis& axis) {
  const double below = std::floor(x), fraction = x - below;
  double sum = 0;
  for (int64_t t = 0; t < axis.taps; ++t) {
    const auto offset = double(first + t), position = below + offset;
    double weight = filter_weight(mode, std::abs(offset - fraction) * shrink);
    if (mode.exclude_outside && (position < 0 || position > double(axis.in - 1))) weight = 0;
    sum += weight;
    axis.index.push_back(axis_index(position, axis.in));
    axis.weight.push_back(weight);
  }
  if ((!mode.exclude_outside && !mode.antialias) || sum == 0) return;
  for (auto weight = axis.weight.end() - axis.taps; weight != axis.weight.end(); ++weight) *weight /= sum;
}

}  // namespace

NodeSpec internal_resize(NodeSpec spec) {
  if (lacks_modes(spec)) {
    spec.attributes["coordinate_transformation_mode"] = std::string("asymmetric");
    spec.attributes["nearest_mode"] = std::string(kUpFloorDownCeilName);
  }
  spec.domain = kInternalDomain;
  return spec;
}

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
  if (lacks_modes(node)) {
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
  ResizeAxis axis{
      .in = span.in, .out = span.out, .taps = 1, .index = {}, .weight = {}, .weight_f32 = {}, .outside = {}};
  const double shrink = mode.antialias ? std::min(span.to / span.from, 1.0) : 1.0;
  int64_t first = 0;
  if (mode.filter != Filter::kNearest) {
    const double support = (mode.filter == Filter::kLinear ? 1 : 2) / shrink;
    if (!(support * double(span.out) < 0x1p30)) {
      throw Error(ErrorKind::kLimit, str("resizing ", span.in, " elements to ", span.out, " needs too large a filter"));
    }
    first = int64_t(std::floor(-support)) + 1;
    axis.taps = 2 - 2 * first;
  }
  Checkpoints checkpoints;
  for (int64_t out = 0; out < span.out; ++out) {
    checkpoints.add(checked_mul(kTapWork, axis.taps));
    const double x = source_coordinate(mode.coordinates, span, out);
    const bool crops = mode.coordinates == Coordinates::kTfCropAndResize;
    axis.outside.push_back(crops && !(x >= 0 && x <= double(span.in - 1)));
    if (mode.filter == Filter::kNearest) {
      axis.index.push_back(axis_index(round_coordinate(mode.nearest, x, span.to < span.from), span.in));
      axis.weight.push_back(1);
    } else {
      add_neighbours(mode, x, shrink, first, axis);
    }
  }
  axis.weight_f32.assign(axis.weight.begin(), axis.weight.end());
  return axis;
}

}  // namespace linnet
