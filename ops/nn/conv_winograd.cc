#include <algorithm>

#include "kernels/kernel_table.h"
#include "kernels/packed_gemm.h"
#include "nn/conv_algorithm.h"
#include "nn/winograd_tiles.h"
#include "parts.h"
#include "scratch.h"

namespace linnet {
namespace {

// Tiles of a block: their inputs and products should stay in the second-level cache, unless weights that do not stay
// there either would be read again too often.
constexpr int64_t kMostTiles = 24, kMostTilesOfLargeWeights = 64;
constexpr int64_t kLargeWeights = 1024 * 1024;  // floats
constexpr int64_t kDepth = 512;                 // of one sum: the rounding error grows with it
constexpr int64_t kPanelGroup = 8;  // panels of weights that stay in the second-level cache while tiles pass
constexpr int64_t kWantedChunks = 8;
constexpr int64_t kLeastPanels = 2;  // of a chunk: each transforms its tiles' inputs anew

constexpr int64_t kLineFloats = 16;

/// A distance between rows of so many floats that spreads them over the cache sets.
int64_t row_pitch(int64_t floats) {
  const int64_t lines = ceil_div(floats, kLineFloats);
  return (lines % 16 == 0 ? lines + 1 : lines) * kLineFloats;
}
/// The same between planes, of which one line each is touched in turn.
int64_t plane_pitch(int64_t floats) { return (ceil_div(floats, kLineFloats) | 1) * kLineFloats; }

/// A convolution of 3x3 windows by Winograd's minimal filtering. A chunk of work is a block of tiles and of output
/// channels: the tiles' inputs are transformed, multiplied by the weights element by element, and transformed back.
class WinogradConv final : public ConvAlgorithm {
 public:
  WinogradConv(const ConvGeometry& geometry, const Epilogue& epilogue, int outputs, const CompileInput& in)
      : geometry_(geometry),
        epilogue_(epilogue),
        gemm_(kernel_table(in.isa()).gemm),
        transforms_(outputs == 2 ? kernel_table(in.isa()).winograd.f2 : kernel_table(in.isa()).winograd.f4),
        tiles_(geometry, outputs),
        elements_(tiles_.inputs() * tiles_.inputs()),
        panels_(ceil_div(geometry.out_channels, gemm_.panel_columns)),
        zeros_(size_t(geometry.in_channels)) {
    choose_chunks();
    v_pitch_ = row_pitch(geometry.in_channels);
    v_plane_ = plane_pitch(block_tiles_ * v_pitch_);
    m_pitch_ = row_pitch(ceil_div(panels_, panel_blocks_) * gemm_.panel_columns);
    m_plane_ = plane_pitch(block_tiles_ * m_pitch_);
    packed_ = in.packed(*in.constant(1), str("conv winograd ", outputs, " ", gemm_.panel_columns),
                        [&] { return pack(in.constant(1)->data<float>()); });
  }

  void run(const ConvOperands& operands, KernelContext& context) const override {
    context.executor().parallel_for(tile_blocks_ * panel_blocks_, [&](int64_t chunk, int worker) {
      run_chunk(operands, chunk % tile_blocks_, chunk / tile_blocks_,
                reinterpret_cast<float*>(context.scratch(worker)));
    });
  }

  size_t scratch_bytes() const override {
    return dtype_bytes(DType::kFloat32, checked_mul(elements_, v_plane_ + m_plane_));
  }

  std::string describe() const override {
    return str("Winograd F(", tiles_.outputs(), "x", tiles_.outputs(), ", 3x3) ", gemm_.tile_rows, "x",
               gemm_.panel_columns);
  }

 private:
  void choose_chunks() {
    const bool large = elements_ * geometry_.in_channels * geometry_.out_channels > kLargeWeights;
    const int64_t most = large ? kMostTilesOfLargeWeights : kMostTiles;
    tile_blocks_ = std::max<int64_t>(1, ceil_div(tiles_.count(), most));
    block_tiles_ = ceil_div(tiles_.count(), tile_blocks_);
    panel_blocks_ =
        std::clamp<int64_t>(ceil_div(kWantedChunks, tile_blocks_), 1, std::max<int64_t>(1, panels_ / kLeastPanels));
  }

  Tensor pack(const float* w) const {
    const int columns = gemm_.panel_columns;
    const int64_t depth = geometry_.in_channels, u_pitch = depth * columns;
    Tensor packed(DType::kFloat32, Shape{panels_, elements_, depth, columns});
    std::vector<float> taps(size_t(9 * columns));
    for (int64_t panel = 0; panel < panels_; ++panel) {
      const int64_t first = panel * columns, count = std::min<int64_t>(columns, geometry_.out_channels - first);
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t j = 0; j < count; ++j) {
          const float* filter = w + ((first + j) * depth + k) * 9;
          for (int64_t t = 0; t < 9; ++t) taps[size_t(t * columns + j)] = filter[t];
        }
        if (count < columns) clear_columns(taps, count);
        transforms_.filter(taps.data(), columns, packed.data<float>() + panel * elements_ * u_pitch + k * columns,
                           u_pitch);
      }
    }
    return packed;
  }

  void clear_columns(std::vector<float>& taps, int64_t from) const {
    for (int64_t t = 0; t < 9; ++t) {
      const auto row = taps.begin() + t * gemm_.panel_columns;
      std::fill(row + from, row + gemm_.panel_columns, 0.f);
    }
  }

  void run_chunk(const ConvOperands& operands, int64_t tile_block, int64_t panel_block, float* scratch) const {
    const int64_t tile = part_begin(tiles_.count(), tile_blocks_, tile_block);
    const int64_t count = part_begin(tiles_.count(), tile_blocks_, tile_block + 1) - tile;
    const int64_t panel = part_begin(panels_, panel_blocks_, panel_block);
    const int64_t panel_end = part_begin(panels_, panel_blocks_, panel_block + 1);
    float* v = scratch;
    float* m = scratch + elements_ * v_plane_;
    transform_inputs(operands.x, tile, count, v);
    for (int64_t e = 0; e < elements_; ++e) {
      for (int64_t p = panel; p < panel_end; p += kPanelGroup) {
        multiply(v, count, e, p, std::min(panel_end, p + kPanelGroup), m + (p - panel) * gemm_.panel_columns);
      }
    }
    transform_outputs(operands, tile, count, panel * gemm_.panel_columns,
                      std::min(geometry_.out_channels, panel_end * gemm_.panel_columns), m);
  }

  void transform_inputs(const float* x, int64_t tile, int64_t count, float* v) const {
    const float* pixels[36];
    for (int64_t i = 0; i < count; ++i) {
      tiles_.inputs(tile + i, x, zeros_.data(), pixels);
      transforms_.input(pixels, geometry_.in_channels, v + i * v_pitch_, v_plane_);
    }
  }

  /// The products of element e: [count, in channels] times the panels.
  void multiply(const float* v, int64_t count, int64_t e, int64_t panel, int64_t panel_end, float* m) const {
    const int columns = gemm_.panel_columns;
    const int64_t depth = geometry_.in_channels, row_tiles = ceil_div(count, gemm_.tile_rows);
    GemmStrip strip;
    strip.columns = (panel_end - panel) * columns;
    strip.panel_pitch = elements_ * depth * columns;
    strip.y_pitch = m_pitch_;
    for (int64_t k = 0; k < depth; k += kDepth) {
      strip.depth = std::min(kDepth, depth - k);
      strip.accumulate = k > 0;
      strip.b = packed_.data<float>() + panel * strip.panel_pitch + (e * depth + k) * columns;
      for (int64_t tile = 0; tile < row_tiles; ++tile) {
        const int64_t row = part_begin(count, row_tiles, tile);
        const float* rows[16];
        strip.rows = int(part_begin(count, row_tiles, tile + 1) - row);
        for (int i = 0; i < strip.rows; ++i) rows[i] = v + e * v_plane_ + (row + i) * v_pitch_ + k;
        strip.a = rows;
        strip.y = m + e * m_plane_ + row * m_pitch_;
        gemm_.strip(strip);
      }
    }
  }

  void transform_outputs(const ConvOperands& operands, int64_t tile, int64_t count, int64_t channel, int64_t end,
                         const float* m) const {
    WinogradOutput output;
    output.channels = end - channel;
    output.row_pitch = tiles_.row_pitch() * geometry_.out_channels;
    output.column_pitch = tiles_.column_pitch() * geometry_.out_channels;
    for (int64_t i = 0; i < count; ++i) {
      const WinogradTiles::Outputs pixels = tiles_.outputs(tile + i);
      const int64_t first = pixels.first * geometry_.out_channels + channel;
      output.rows = pixels.rows;
      output.columns = pixels.columns;
      output.y = operands.y + first;
      output.epilogue = epilogue_;
      output.epilogue.bias = operands.bias ? operands.bias + channel : nullptr;
      output.epilogue.residual = operands.residual ? operands.residual + first : nullptr;
      transforms_.output(m + i * m_pitch_, m_plane_, output);
    }
  }

  ConvGeometry geometry_;
  Epilogue epilogue_;
  GemmKernels gemm_;
  WinogradTransforms transforms_;
  WinogradTiles tiles_;
  int64_t elements_, panels_;
  int64_t tile_blocks_ = 1, block_tiles_ = 0, panel_blocks_ = 1;
  int64_t v_pitch_ = 0, v_plane_ = 0, m_pitch_ = 0, m_plane_ = 0;
  std::vector<float> zeros_;
  Tensor packed_;  // [panel, element, in channels, columns]
};

}  // namespace

std::string winograd_obstacle(const ConvGeometry& geometry, const CompileInput& in) {
  const auto& [depth, height, width] = geometry.axes;
  if (in.winograd_tile() == 0) return "turned off";
  if (depth.kernel != 1 || height.kernel != 3 || width.kernel != 3) return "the window is not 3x3";
  if (height.stride != 1 || width.stride != 1) return "the stride is not 1";
  if (depth.in != depth.out || depth.stride != 1 || depth.pad_begin != 0) return "the window moves along the depth";
  if (geometry.group != 1) return "groups";
  if (!in.constant(1)) return "the weights are not constant";
  return "";
}

ConvAlgorithmPtr make_winograd_conv(const ConvGeometry& geometry, const Epilogue& epilogue, int outputs,
                                    const CompileInput& in) {
  return std::make_unique<WinogradConv>(geometry, epilogue, outputs, in);
}

}  // namespace linnet
