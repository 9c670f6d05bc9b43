#include <algorithm>

#include "compile/compile_input.h"
#include "conv/conv_algorithm.h"
#include "conv/winograd_tiles.h"
#include "gemm/bfloat16_pairs.h"
#include "gemm/machine.h"
#include "gemm/panels.h"
#include "kernels/kernel_table.h"
#include "partition/parts.h"

namespace linnet {
namespace {

// The cost model counts multiplications of whole vectors on one core, of which a core does about one per cycle; what
// else takes time is expressed in them. The constants were fitted to measurements of single layers.
constexpr double kSum = 8;                            // beginning and storing a vector of sums
constexpr double kDirect = 1.1;                       // indirect addressing
constexpr double kCacheBytes = 16, kMemoryBytes = 6;  // weights read per cycle from the last cache, from memory
constexpr double kRows = 48;                          // of a block for which weights are read again
constexpr int64_t kTileRows = 12;                     // about, that leave out a tap together
constexpr double kPairs = 0.5;                        // where two values are multiplied at a time
constexpr int64_t kFewChannels = 2;                   // vectors of a group's output channels

// Of one output row, which some kernels compute at once: no deadline ends them.
constexpr double kMostRowMultiplies = 0x1p28;

struct TransformCost {
  double input, output;  // per vector of channels of a tile
};
constexpr TransformCost transform_cost(int outputs) {
  return outputs == 4 ? TransformCost{170, 170} : outputs == 3 ? TransformCost{115, 110} : TransformCost{60, 50};
}

double vectors(int64_t channels, int lanes) { return double(ceil_div(channels, lanes)); }

double weights_cost(double bytes, double passes) {
  return passes * bytes / (bytes > double(this_machine().last_cache_bytes) ? kMemoryBytes : kCacheBytes);
}

double row_multiplies(const ConvGeometry& g) {
  return double(g.axes[2].out) * double(g.taps()) * double(g.group_in()) * double(g.out_channels);
}

/// The part of an axis' windows that lies in the image; `block` outputs are skipped together where all of theirs lie
/// outside.
double used_part(const ConvAxis& axis, int64_t block) {
  double used = 0;
  for (int64_t k = 0; k < axis.kernel; ++k) {
    const int64_t shift = k * axis.dilation - axis.pad_begin, stride = axis.stride;
    const int64_t first = shift >= 0 ? 0 : ceil_div(-shift, stride);
    const int64_t end = axis.in > shift ? std::min(axis.out, ceil_div(axis.in - shift, stride)) : 0;
    if (end > first) used += double(std::min(axis.out, end - first + block / 2));
  }
  return used / double(std::max<int64_t>(1, axis.kernel * axis.out));
}

double gemm_cost(const ConvGeometry& g, const TileFamily& gemm) {
  const double used = used_part(g.axes[0], 1) * used_part(g.axes[1], 1) * used_part(g.axes[2], kTileRows);
  const double rows = double(g.batch) * double(g.out_pixels()), depth = double(g.taps() * g.in_channels);
  const double weights = depth * double(g.out_channels) * sizeof(float);
  return std::max(kDirect * rows * (used * depth + kSum) * vectors(g.out_channels, gemm.lanes),
                  weights_cost(weights, 1));
}

double winograd_cost(const ConvGeometry& g, int outputs, const TileFamily& gemm) {
  const int lanes = gemm.lanes;
  const WinogradTiles tiles(g, outputs);
  const double elements = tiles.inputs() * tiles.inputs(), count = double(tiles.count());
  const double depth = double(g.in_channels), columns = vectors(g.out_channels, lanes);
  const double weights = elements * depth * double(g.out_channels) * sizeof(float);
  const TransformCost transform = transform_cost(outputs);
  return std::max(count * elements * (depth + kSum) * columns, weights_cost(weights, std::max(1.0, count / kRows))) +
         count * (transform.input * vectors(g.in_channels, lanes) + transform.output * columns);
}

}  // namespace

ConvChoice<float> choose_conv(const ConvGeometry& geometry, bool x_channels_first, const Epilogue& epilogue,
                              const CompileInput& in) {
  const bool short_rows = row_multiplies(geometry) <= kMostRowMultiplies;
  if (short_rows && geometry.group == geometry.in_channels && geometry.group == geometry.out_channels) {
    return {make_depthwise_conv(geometry, epilogue, in), "one filter per channel"};
  }
  const TileFamily& gemm = kernel_table(in.isa()).gemm_f32;
  if (geometry.group > 1 && geometry.group_out() <= kFewChannels * gemm.lanes) {
    return {make_grouped_conv(geometry, epilogue, in), "groups of few channels"};
  }
  if (short_rows && suits_line_conv(geometry, in)) {
    return {make_line_conv(geometry, x_channels_first, epilogue, in), "few input channels"};
  }
  const std::string obstacle = winograd_obstacle(geometry, in);
  if (!obstacle.empty()) return {make_gemm_conv<float>(geometry, epilogue, in), "no Winograd: " + obstacle};
  const double direct = gemm_cost(geometry, gemm) * (multiplies_bfloat16(in) ? kPairs : 1);
  ConvChoice<float> choice;
  int best = 0;
  double least = direct;
  for (int outputs = 2; outputs <= model_resources(in).options.winograd_tile; ++outputs) {
    const double cost = winograd_cost(geometry, outputs, gemm);
    choice.reason += str(outputs == 2 ? "" : ", ", "F(", outputs, "x", outputs, ", 3x3) estimated at ",
                         int(100 * cost / std::max(1.0, direct)), " % of direct");
    if (cost < least) best = outputs, least = cost;
  }
  choice.algorithm =
      best ? make_winograd_conv(geometry, epilogue, best, in) : make_gemm_conv<float>(geometry, epilogue, in);
  return choice;
}

}  // namespace linnet
