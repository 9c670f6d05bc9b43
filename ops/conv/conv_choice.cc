#include <algorithm>
#include <map>

#include "compile/compile_input.h"
#include "conv/conv_algorithm.h"
#include "conv/conv_cost.h"
#include "gemm/bfloat16_pairs.h"
#include "gemm/machine.h"
#include "gemm/panels.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "partition/parts.h"

namespace linnet {
namespace {

// Costs in multiplications of whole vectors (conv_cost.h).
constexpr double kDirect = 1.1, kRow = 15;            // factor for indirect addressing; cost of a row of windows
constexpr double kTransformed = 1.2;                  // factor for products of transformed values (memory traffic)
constexpr double kElement = 40, kAddress = 20;        // per element of a tile: its products, the address of an input
constexpr double kFiltering = 18000;                  // cost of passes over all elements, once
constexpr double kGroupFiltering = 5000;              // the same for each group
constexpr double kCacheBytes = 16, kMemoryBytes = 6;  // weights read per cycle from the last cache, from memory
constexpr double kBlockRows = 48;                     // rows of a block; weights are read again for each block
constexpr int64_t kTileRows = 12;                     // rows, about, that skip a tap together
constexpr double kLineElement = 2;                    // cost per transformed element of a tile of one row or column
constexpr double kPairs = 0.5;                        // factor where two values are multiplied at a time
constexpr int64_t kFewChannels = 2;                   // vectors that hold a group's output channels
constexpr int64_t kMostWeights = 8;                   // most transformed weights, relative to the original ones
constexpr double kOtherForm = 2;                      // speed-up that justifies another packed form of the weights

// The most multiplications of one output row. Some kernels compute a row without a check of the deadline.
constexpr double kMostRowMultiplies = 0x1p28;

TransformCost transform_cost(const WinogradTile& tile) {
  if (tile.rows == 1 || tile.columns == 1) return {kLineElement * tile.elements(), kLineElement * tile.elements()};
  return tile.rows >= 4 ? TransformCost{170, 170} : tile.rows == 3 ? TransformCost{115, 110} : TransformCost{60, 50};
}

double weights_cost(double bytes, double passes) {
  return passes * bytes / (bytes > double(this_machine().last_cache_bytes) ? kMemoryBytes : kCacheBytes);
}

double row_multiplies(const ConvGeometry& g) {
  return double(g.axes[2].out) * double(g.taps()) * double(g.group_in()) * double(g.out_channels);
}

/// Returns the fraction of an axis' windows that is inside the image. A tap is skipped for `block` outputs together
/// where it is outside the image for all of them.
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
  const double rows = double(g.batch) * double(g.out_pixels()), depth = double(g.taps() * g.group_in());
  const double weights = depth * double(g.out_channels) * sizeof(float);
  const double sums = (used * depth + kSumCost) * vectors_of(g.group_out(), gemm.lanes);
  return std::max(double(g.group) * rows * (kDirect * sums + kRow), weights_cost(weights, 1));
}

double winograd_cost(const ConvGeometry& g, const WinogradTiles& tiles, const TileFamily& gemm) {
  const int lanes = gemm.lanes;
  const double elements = tiles.tile().elements(), count = double(tiles.count()), parts = double(tiles.parts());
  const double depth = parts * double(g.group_in()), columns = vectors_of(g.group_out(), lanes);
  const double weights = elements * depth * double(g.out_channels) * sizeof(float);
  const TransformCost transform = transform_cost(tiles.tile());
  const double input = transform.input * vectors_of(g.group_in(), lanes) + kAddress * elements;
  const double products = kTransformed * elements * (depth + kSumCost) * columns;
  const double multiplied = double(g.group) * count * products;
  const double others = (g.group > 1 ? kGroupFiltering : kFiltering) +
                        count * (parts * input + transform.output * columns + kElement * elements);
  return std::max(multiplied, weights_cost(weights, std::max(1.0, count / kBlockRows))) + double(g.group) * others;
}

/// Tiles of 5 outputs have as many inputs as tiles of 4.
int most_outputs(const CompileInput& in) {
  const int most = model_resources(in).options.winograd_tile;
  return most == 4 ? 5 : most;
}

/// Returns a tile of that many outputs along each axis on which windows have several taps.
WinogradTile tile_of(const ConvGeometry& g, int outputs) {
  return {g.axes[1].kernel > 1 ? outputs : 1, g.axes[2].kernel > 1 ? outputs : 1};
}

ConvF32Ptr make_direct_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in) {
  const bool few =
      geometry.group > 1 && geometry.group_out() <= kFewChannels * kernels_for<GemmKernels<GemmF32>>(in.isa()).lanes;
  return few ? make_grouped_conv(geometry, epilogue, in) : make_gemm_conv<float>(geometry, epilogue, in);
}

/// The costs of a convolution of these sizes: of direct products, and of Winograd's tiles for each number of outputs.
class Estimates {
 public:
  Estimates(const ConvGeometry& geometry, const CompileInput& in) : gemm_(kernels_for<GemmKernels<GemmF32>>(in.isa())) {
    costs_[kDirectly] = gemm_cost(geometry, gemm_) * (multiplies_bfloat16(in) ? kPairs : 1);
    for (int outputs = 2; outputs <= most_outputs(in); ++outputs) {
      const WinogradTiles tiles(geometry, tile_of(geometry, outputs));
      if (tiles.parts() * tiles.tile().elements() > kMostWeights * geometry.taps()) continue;
      costs_[outputs] = winograd_cost(geometry, tiles, gemm_);
      reason_ += str(reason_.empty() ? "" : ", ", describe_winograd(tiles), " estimated at ",
                     int(100 * costs_[outputs] / std::max(1.0, costs_[kDirectly])), " % of direct");
    }
    if (reason_.empty()) reason_ = "no Winograd: it would take too many weights";
  }

  static constexpr int kDirectly = 0;

  /// Returns the number of outputs along an axis of the fastest tile, or kDirectly.
  int fastest() const {
    return std::ranges::min_element(costs_, {}, [](auto& known) { return known.second; })->first;
  }
  double cost(int outputs) const { return costs_.at(outputs); }
  const std::string& reason() const { return reason_; }

 private:
  const TileFamily& gemm_;
  std::map<int, double> costs_;
  std::string reason_;
};

/// Chooses the tile that is the fastest for one sample, so that results do not depend on the batch, to the bit, and its
/// weights are in memory in one form. Chooses another one where that is much faster for this batch, unless
/// ModelOptions::batch_invariant is set.
int choose_outputs(const ConvGeometry& geometry, const Estimates& estimates, const CompileInput& in) {
  ConvGeometry sample = geometry;
  sample.batch = std::min<int64_t>(geometry.batch, 1);
  const int alone = Estimates(sample, in).fastest();
  if (model_resources(in).options.batch_invariant) return alone;
  const int fastest = estimates.fastest();
  return estimates.cost(alone) < kOtherForm * estimates.cost(fastest) ? alone : fastest;
}

}  // namespace

ConvChoice<float> choose_conv(const ConvGeometry& geometry, const ConvLayout& layout, const Epilogue& epilogue,
                              const CompileInput& in) {
  const bool short_rows = row_multiplies(geometry) <= kMostRowMultiplies;
  const bool planes = !layout.x_channels_last && !layout.y_channels_last;
  if (planes && short_rows && suits_plane_depthwise(geometry, in)) {
    return {make_plane_depthwise(geometry, epilogue, in), "one input channel per group"};
  }
  if (short_rows && geometry.group == geometry.in_channels && geometry.group == geometry.out_channels) {
    return {make_depthwise_conv(geometry, epilogue, in), "one filter per channel"};
  }
  if (planes && suits_plane_conv(geometry, in)) {
    return {make_plane_conv(geometry, epilogue, in), geometry.pointwise() ? "single pixels" : "short sums"};
  }
  if (short_rows && suits_line_conv(geometry, in)) {
    return {make_line_conv(geometry, !layout.x_channels_last, epilogue, in), "few input channels"};
  }
  const TileFamily& gemm = kernels_for<GemmKernels<GemmF32>>(in.isa());
  const std::string obstacle = winograd_obstacle(geometry, in);
  if (!obstacle.empty()) return {make_direct_conv(geometry, epilogue, in), "no Winograd: " + obstacle};
  if (geometry.group > 1 && geometry.group_out() < gemm.lanes) {
    return {make_direct_conv(geometry, epilogue, in), "no Winograd: groups of few channels"};
  }
  const Estimates estimates(geometry, in);
  const int outputs = choose_outputs(geometry, estimates, in);
  if (outputs == Estimates::kDirectly) return {make_direct_conv(geometry, epilogue, in), estimates.reason()};
  return {make_winograd_conv(geometry, epilogue, tile_of(geometry, outputs), in), estimates.reason()};
}

}  // namespace linnet
