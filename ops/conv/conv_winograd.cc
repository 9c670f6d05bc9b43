#include <algorithm>

#include "conv/conv_algorithm.h"
#include "conv/winograd_tiles.h"
#include "gemm/packed_gemm.h"
#include "kernels/kernel_table.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kBlockTiles = 24;                 // whose inputs and products stay in a core's cache
constexpr int64_t kSharedFloats = 2 * 1024 * 1024;  // of inputs that all cores share
constexpr int64_t kLargeWeights = 1024 * 1024;      // floats
constexpr int64_t kDepth = 512;                     // of one sum: the rounding error grows with it
constexpr int64_t kFewestBlocks = 8;                // for one worker, else it reads the weights once, for all tiles
constexpr int64_t kFewestBlockTiles = 16;           // for several
constexpr int64_t kBlockColumns = 128;              // of a block, multiplied together
constexpr int64_t kSharedColumns = 64;              // of a chunk that shares the transformed inputs with others
constexpr int64_t kChunksPerWorker = 2;             // of such chunks
constexpr int64_t kPackDepth = 16;                  // input channels whose filters are transformed at a time
constexpr int64_t kTransformTiles = 4;              // of a chunk that only transforms

/// A distance between rows of so many floats that spreads them over the cache sets.
int64_t row_pitch(int64_t floats) {
  const int64_t lines = ceil_div(floats, kLineFloats);
  return (lines % 16 == 0 ? lines + 1 : lines) * kLineFloats;
}
/// The same between planes, of which one line each is touched in turn.
int64_t odd_lines(int64_t floats) { return (ceil_div(floats, kLineFloats) | 1) * kLineFloats; }

/// A convolution of 3x3 windows by Winograd's minimal filtering: the inputs of a block of tiles are transformed,
/// multiplied by the weights element by element, and transformed back. Either each chunk of work is such a block, or,
/// where blocks are few or weights too large to be read for each of them, chunks are panels of output channels of one
/// block, whose transformed inputs they share.
class WinogradConv final : public ConvAlgorithm {
 public:
  WinogradConv(const ConvGeometry& geometry, const Epilogue& epilogue, int outputs, const CompileInput& in)
      : geometry_(geometry),
        epilogue_(epilogue),
        gemm_(kernel_table(in.isa()).gemm),
        transforms_(kernel_table(in.isa()).winograd.of(outputs)),
        tiles_(geometry, outputs),
        elements_(tiles_.inputs() * tiles_.inputs()),
        panels_(ceil_div(geometry.out_channels, gemm_.panel_columns)),
        zeros_(size_t(geometry.in_channels)) {
    choose_blocks(in.executor().workers());
    v_pitch_ = row_pitch(geometry.in_channels);
    v_plane_ = odd_lines(block_tiles_ * v_pitch_);
    m_pitch_ = row_pitch(group_ * gemm_.panel_columns);
    m_plane_ = odd_lines(block_tiles_ * m_pitch_);
    packed_ = in.packed(*in.constant(1), {"conv winograd", {outputs, gemm_.panel_columns}},
                        [&] { return pack(in.constant(1)->data<float>(), in); });
  }

  void run(const ConvOperands& operands, KernelContext& context) const override {
    if (!shared_) {
      return context.executor().parallel_for(blocks_, [&](int64_t block, int worker) {
        float* v = reinterpret_cast<float*>(context.scratch(worker));
        transform_inputs(operands.x, tiles_of(block), v);
        const int64_t groups = ceil_div(panels_, group_);
        for (int64_t group = 0; group < groups; ++group) {
          multiply(operands, tiles_of(block), v, Range{0, panels_}.part(groups, group), v + elements_ * v_plane_);
        }
      });
    }
    for (int64_t block = 0; block < blocks_; ++block) run_shared(operands, tiles_of(block), context);
  }

  size_t scratch_bytes() const override {
    return dtype_bytes(DType::kFloat32, checked_mul(elements_, v_plane_ + m_plane_));
  }

  std::string describe() const override {
    return str("Winograd F(", tiles_.outputs(), "x", tiles_.outputs(), ", 3x3) ", gemm_.tile_rows, "x",
               gemm_.panel_columns, shared_ ? ", sharing inputs" : "");
  }

 private:
  struct Range {
    int64_t begin, end;
    int64_t size() const { return end - begin; }
    Range part(int64_t parts, int64_t i) const {
      return {begin + part_begin(size(), parts, i), begin + part_begin(size(), parts, i + 1)};
    }
  };

  void choose_blocks(int workers) {
    const int64_t weights = elements_ * geometry_.in_channels * geometry_.out_channels;
    blocks_ = ceil_div(tiles_.count(), kBlockTiles);
    if (workers > 1) blocks_ = std::max<int64_t>(workers, blocks_ / workers * workers);
    const bool few = workers > 1 ? tiles_.count() < kFewestBlockTiles * blocks_ : blocks_ < kFewestBlocks;
    shared_ = few || weights > kLargeWeights;
    group_ = std::max<int64_t>(1, (shared_ ? kSharedColumns : kBlockColumns) / gemm_.panel_columns);
    if (shared_) blocks_ = ceil_div(elements_ * geometry_.in_channels * tiles_.count(), kSharedFloats);
    blocks_ = std::clamp<int64_t>(blocks_, 1, std::max<int64_t>(1, tiles_.count()));
    block_tiles_ = ceil_div(tiles_.count(), blocks_);
  }

  Range tiles_of(int64_t block) const { return Range{0, tiles_.count()}.part(blocks_, block); }

  Tensor pack(const float* w, const CompileInput& in) const {
    const int64_t blocks = ceil_div(geometry_.in_channels, kPackDepth);
    Tensor packed =
        in.packed_memory(DType::kFloat32, Shape{panels_, elements_, geometry_.in_channels, gemm_.panel_columns});
    in.executor().parallel_for(panels_ * blocks, [&](int64_t chunk, int) {
      pack_filters(w, chunk / blocks, chunk % blocks * kPackDepth, packed.data<float>());
    });
    return packed;
  }

  /// Transforms the filters of a panel for input channels [k, k + kPackDepth).
  void pack_filters(const float* w, int64_t panel, int64_t k, float* packed) const {
    const int64_t columns = gemm_.panel_columns, depth = geometry_.in_channels;
    GemmWeights filters;  // one row for each input channel and tap
    filters.data = w + k * 9;
    filters.depth = std::min(kPackDepth, depth - k) * 9;
    filters.columns = geometry_.out_channels;
    filters.depth_stride = 1;
    filters.column_stride = depth * 9;
    std::vector<float> taps(size_t(filters.depth * columns));
    pack_panel(filters, int(columns), panel, taps.data());
    float* u = packed + (panel * elements_ * depth + k) * columns;
    for (int64_t i = 0; i < filters.depth / 9; ++i) {
      transforms_.filter(taps.data() + i * 9 * columns, columns, u + i * columns, depth * columns);
    }
  }

  void run_shared(const ConvOperands& operands, Range tiles, KernelContext& context) const {
    float* const v = reinterpret_cast<float*>(context.scratch());
    const int64_t parts = ceil_div(tiles.size(), kTransformTiles);
    context.executor().parallel_for(parts, [&](int64_t i, int) {
      const Range part = tiles.part(parts, i);
      transform_inputs(operands.x, part, v + (part.begin - tiles.begin) * v_pitch_);
    });
    const int64_t wanted = kChunksPerWorker * context.executor().workers();
    const int64_t groups = ceil_div(panels_, panels_ >= group_ * wanted ? group_ : 1);
    const int64_t row_tiles = std::max<int64_t>(1, ceil_div(tiles.size(), gemm_.tile_rows));
    const int64_t rows = std::clamp<int64_t>(ceil_div(wanted, groups), 1, row_tiles);
    context.executor().parallel_for(groups * rows, [&](int64_t chunk, int worker) {
      const Range part = tiles.part(rows, chunk % rows);
      float* const m = reinterpret_cast<float*>(context.scratch(worker)) + elements_ * v_plane_;
      multiply(operands, part, v + (part.begin - tiles.begin) * v_pitch_, Range{0, panels_}.part(groups, chunk / rows),
               m);
    });
  }

  void transform_inputs(const float* x, Range tiles, float* v) const {
    const float* pixels[2][36];
    if (tiles.size() > 0) tiles_.inputs(tiles.begin, x, zeros_.data(), pixels[0]);
    for (int64_t i = 0; i < tiles.size(); ++i) {
      const auto& now = pixels[i % 2];
      auto& next = pixels[(i + 1) % 2];
      tiles_.inputs(std::min(tiles.begin + i + 1, tiles.end - 1), x, zeros_.data(), next);
      transforms_.input(now, next, geometry_.in_channels, v + i * v_pitch_, v_plane_);
    }
  }

  /// The outputs of tiles for the channels of panels, from the transformed inputs; m: room for the products.
  void multiply(const ConvOperands& operands, Range tiles, const float* v, Range panels, float* m) const {
    for (int64_t e = 0; e < elements_; ++e) multiply_element(v, tiles.size(), e, panels, m);
    transform_outputs(operands, tiles, panels.begin * gemm_.panel_columns,
                      std::min(geometry_.out_channels, panels.end * gemm_.panel_columns), m);
  }

  /// The products of element e: [count, in channels] times the panels.
  void multiply_element(const float* v, int64_t count, int64_t e, Range panels, float* m) const {
    const int columns = gemm_.panel_columns;
    const int64_t depth = geometry_.in_channels, row_tiles = ceil_div(count, gemm_.tile_rows);
    GemmStrip strip;
    strip.columns = panels.size() * columns;
    strip.panel_pitch = elements_ * depth * columns;
    strip.y_pitch = m_pitch_;
    for (int64_t k = 0; k < depth; k += kDepth) {
      strip.depth = std::min(kDepth, depth - k);
      strip.accumulate = k > 0;
      strip.b = packed_.data<float>() + panels.begin * strip.panel_pitch + (e * depth + k) * columns;
      const bool last = e + 1 == elements_ && k + kDepth >= depth;
      const float* const next = last ? nullptr : strip.b + strip.depth * columns;
      for (int64_t tile = 0; tile < row_tiles; ++tile) {
        const int64_t row = part_begin(count, row_tiles, tile);
        const float* rows[16];
        strip.rows = int(part_begin(count, row_tiles, tile + 1) - row);
        for (int i = 0; i < strip.rows; ++i) rows[i] = v + e * v_plane_ + (row + i) * v_pitch_ + k;
        strip.a = rows;
        strip.y = m + e * m_plane_ + row * m_pitch_;
        strip.ahead = ahead_of(next, tile, strip.depth, columns);
        gemm_.strip(strip);
      }
    }
  }

  void transform_outputs(const ConvOperands& operands, Range tiles, int64_t channel, int64_t end,
                         const float* m) const {
    WinogradOutput output;
    output.channels = end - channel;
    output.row_pitch = tiles_.row_pitch() * geometry_.out_channels;
    output.column_pitch = tiles_.column_pitch() * geometry_.out_channels;
    for (int64_t i = 0; i < tiles.size(); ++i) {
      const WinogradTiles::Outputs pixels = tiles_.outputs(tiles.begin + i);
      const int64_t first = pixels.first * geometry_.out_channels + channel;
      output.rows = pixels.rows;
      output.columns = pixels.columns;
      output.y = operands.y + first;
      output.epilogue = epilogue_;
      output.epilogue.bias = operands.bias ? operands.bias + channel : nullptr;
      output.epilogue.slope = operands.slope ? operands.slope + channel : nullptr;
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
  int64_t blocks_ = 1, block_tiles_ = 0;  // of tiles
  int64_t group_ = 1;                     // panels that are multiplied together
  bool shared_ = false;                   // by chunks: the transformed inputs
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
