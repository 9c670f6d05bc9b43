#include <algorithm>

#include "compile/compile_input.h"
#include "conv/conv_algorithm.h"
#include "conv/winograd_tiles.h"
#include "gemm/accuracy.h"
#include "gemm/half_weights.h"
#include "gemm/panels.h"
#include "gemm/weights.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "kernels/winograd.h"
#include "partition/checkpoints.h"
#include "partition/parts.h"
#include "tensor/alignment.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

constexpr int64_t kSharedFloats = 2 * 1024 * 1024;  // most transformed inputs that all cores share
constexpr int64_t kLargeWeights = 1024 * 1024;      // floats
constexpr int64_t kFewestBlocks = 8;        // for one worker; with fewer it reads the weights once, for all tiles
constexpr int64_t kFewestBlockTiles = 16;   // for several workers
constexpr int64_t kBlockColumns = 128;      // columns that are multiplied together for a block
constexpr int64_t kSharedColumns = 64;      // columns of a chunk that shares the transformed inputs with others
constexpr int64_t kChunksPerWorker = 2;     // chunks that share the transformed inputs
constexpr int64_t kPackDepth = 16;          // input channels whose filters are transformed at a time
constexpr int64_t kTransformTiles = 4;      // tiles of a chunk that only transforms
constexpr int64_t kMostTaps = 128;          // taps of a window
constexpr int64_t kWidestWindow = 1 << 30;  // pixels

bool is_narrow(const ConvAxis& axis) { return std::max({axis.extent(), axis.stride, axis.dilation}) <= kWidestWindow; }

/// Returns a distance between rows of so many floats that spreads them over the cache sets.
int64_t row_pitch(int64_t floats) {
  const int64_t lines = ceil_div(floats, kLineFloats);
  return (lines % 16 == 0 ? lines + 1 : lines) * kLineFloats;
}

/// A convolution by Winograd's minimal filtering. The inputs of a block of tiles are transformed, multiplied by the
/// weights element by element, and transformed back, for one group of channels at a time. A tile's transformed inputs
/// are rows of [part, in channels].
/// Usually each chunk of work is such a block. Where there are few blocks, or the weights are too large to be read for
/// each block, chunks are panels of output channels of one block and share its transformed inputs.
class WinogradConv final : public ConvAlgorithm<float> {
 public:
  WinogradConv(const ConvGeometry& geometry, const Epilogue& epilogue, const WinogradTile& tile, const CompileInput& in)
      : geometry_(geometry),
        epilogue_(epilogue),
        gemm_(kernels_for<GemmKernels<GemmF32>>(in.isa())),
        transforms_(kernels_for<WinogradKernels>(in.isa()).of(tile)),
        tiles_(geometry, tile),
        elements_(tile.elements()),
        depth_(checked_mul(tiles_.parts(), geometry.group_in())),
        panels_(choose_panels(gemm_, geometry.group_out(), depth_)),
        group_floats_(packed_size(panels_, elements_, depth_)),
        zeros_(size_t(geometry.group_in())) {
    choose_blocks(in.executor().workers());
    const int64_t last_part = ceil_div(geometry.group_in(), kLineFloats) * kLineFloats;  // written in whole vectors
    v_pitch_ = row_pitch(depth_ - geometry.group_in() + last_part);
    v_plane_ = odd_lines(block_tiles_ * v_pitch_, sizeof(float));
    m_pitch_ = row_pitch(most_columns());
    m_plane_ = odd_lines(block_tiles_ * m_pitch_, sizeof(float));
    packed_ =
        in.packed(*in.constant(1), packed_form("conv winograd", panels_, {tile.rows, tile.columns, geometry.group}),
                  [&] { return pack(float_weights(*in.constant(1), in), in); });
  }

  void run(const ConvOperands<float>& operands, KernelContext& context) const override {
    if (!shared_) {
      return context.executor().parallel_for(geometry_.group * blocks_, [&](int64_t chunk, int worker) {
        run_block(operands, chunk / blocks_, tiles_of(chunk % blocks_),
                  reinterpret_cast<float*>(context.scratch(worker)));
      });
    }
    for (int64_t group = 0; group < geometry_.group; ++group) {
      for (int64_t block = 0; block < blocks_; ++block) run_shared(operands, group, tiles_of(block), context);
    }
  }

  size_t scratch_bytes() const override {
    return dtype_bytes(DType::kFloat32, checked_mul(elements_, v_plane_ + m_plane_));
  }

  bool writes_over_residual() const override { return true; }

  std::string describe() const override {
    return str("Winograd ", describe_winograd(tiles_), " ", describe_tiles(gemm_, panels_, strip_rows_),
               shared_ ? ", sharing inputs" : "");
  }

 private:
  int64_t out_panels() const { return panels_.count(); }

  /// Returns the number of blocks of tiles into which the work is divided where workers do not share blocks.
  int64_t own_blocks(int workers) const {
    const int64_t blocks = ceil_div(tiles_.count(), kWinogradBlockTiles);
    return workers > 1 && geometry_.group == 1 ? std::max<int64_t>(workers, blocks / workers * workers) : blocks;
  }
  /// Whether so many blocks are too few, or too small, for reading all weights for each of them.
  bool too_few(int64_t blocks, int workers) const {
    if (geometry_.group > 1) return false;
    return workers > 1 ? tiles_.count() < kFewestBlockTiles * blocks : blocks < kFewestBlocks;
  }

  void choose_blocks(int workers) {
    const int64_t weights = elements_ * depth_ * geometry_.group_out();
    const int64_t own = own_blocks(workers);
    shared_ = weights > kLargeWeights || too_few(own, workers);
    blocks_ = shared_ ? ceil_div(elements_ * depth_ * tiles_.count(), kSharedFloats) : own;
    blocks_ = std::clamp<int64_t>(blocks_, 1, std::max<int64_t>(1, tiles_.count()));
    block_tiles_ = ceil_div(tiles_.count(), blocks_);
    const int64_t columns = shared_ ? kSharedColumns : kBlockColumns;
    column_blocks_ = std::clamp<int64_t>(geometry_.group_out() / columns, 1, out_panels());
    strip_rows_ = choose_strip_rows(gemm_, panels_, block_tiles_, depth_);
  }

  /// The largest number of columns that are multiplied together.
  int64_t most_columns() const {
    int64_t most = 0;
    for (int64_t i = 0; i < column_blocks_; ++i) {
      const Span part = Span{0, out_panels()}.part(column_blocks_, i);
      most = std::max(most, panels_.first_column(part.end) - panels_.first_column(part.begin));
    }
    return most;
  }

  Span tiles_of(int64_t block) const { return Span{0, tiles_.count()}.part(blocks_, block); }

  Tensor pack(const Tensor& w, const CompileInput& in) const {
    const int64_t blocks = ceil_div(geometry_.group_in(), kPackDepth), group_chunks = out_panels() * blocks;
    Tensor packed = in.packed_memory(DType::kFloat32, Shape{checked_mul(geometry_.group, group_floats_)});
    in.executor().parallel_for(checked_mul(geometry_.group, group_chunks), [&](int64_t chunk, int) {
      const int64_t group = chunk / group_chunks, panel = chunk % group_chunks / blocks;
      const float* of_group = w.data<float>() + group * geometry_.group_out() * geometry_.group_in() * geometry_.taps();
      pack_filters(of_group, panel, chunk % blocks * kPackDepth, packed.data<float>() + group * group_floats_);
    });
    return packed;
  }

  /// Transforms the filters of a panel for input channels [k, k + kPackDepth) of a group.
  void pack_filters(const float* w, int64_t panel, int64_t k, float* packed) const {
    const int64_t columns = panels_.run_from(panel).width * panels_.lanes, taps = geometry_.taps();
    GemmWeights<float> filters;  // one row for each input channel and tap
    filters.data = w + k * taps;
    filters.depth = std::min(kPackDepth, geometry_.group_in() - k) * taps;
    filters.columns = geometry_.group_out();
    filters.depth_stride = 1;
    filters.column_stride = geometry_.group_in() * taps;
    CountedVector<float> rows(static_cast<size_t>(filters.depth * columns)), zeros(static_cast<size_t>(columns));
    Checkpoints checkpoints;
    pack_panel(filters, panels_, panel, rows.data(), checkpoints);
    for (int64_t part = 0; part < tiles_.parts(); ++part) {
      const std::vector<int64_t> numbers = tiles_.taps(part);
      float* u = packed + panel_begin(panels_, panel, elements_, depth_) + (part * geometry_.group_in() + k) * columns;
      for (int64_t i = 0; i < filters.depth / taps; ++i) {
        const float* g[9];
        for (size_t t = 0; t < numbers.size(); ++t) {
          g[t] = numbers[t] < 0 ? zeros.data() : rows.data() + (i * taps + numbers[t]) * columns;
        }
        transforms_.filter(g, columns, u + i * columns, depth_ * columns);
      }
    }
  }

  void run_block(const ConvOperands<float>& operands, int64_t group, Span tiles, float* v) const {
    transform_inputs(operands.x + group * geometry_.group_in(), tiles, v);
    for (int64_t i = 0; i < column_blocks_; ++i) {
      const Span panels = Span{0, out_panels()}.part(column_blocks_, i);
      multiply(operands, group, tiles, v, panels, v + elements_ * v_plane_);
    }
  }

  void run_shared(const ConvOperands<float>& operands, int64_t group, Span tiles, KernelContext& context) const {
    float* const v = reinterpret_cast<float*>(context.scratch());
    const int64_t parts = ceil_div(tiles.size(), kTransformTiles);
    context.executor().parallel_for(parts, [&](int64_t i, int) {
      const Span part = tiles.part(parts, i);
      transform_inputs(operands.x + group * geometry_.group_in(), part, v + (part.begin - tiles.begin) * v_pitch_);
    });
    const int64_t wanted = kChunksPerWorker * context.executor().workers();
    const int64_t column_blocks = column_blocks_ >= wanted ? column_blocks_ : out_panels();
    const int64_t strips = std::max<int64_t>(1, ceil_div(tiles.size(), strip_rows_));
    const int64_t rows = std::clamp<int64_t>(ceil_div(wanted, column_blocks), 1, strips);
    context.executor().parallel_for(column_blocks * rows, [&](int64_t chunk, int worker) {
      const Span part = tiles.part(rows, chunk % rows);
      float* const m = reinterpret_cast<float*>(context.scratch(worker)) + elements_ * v_plane_;
      multiply(operands, group, part, v + (part.begin - tiles.begin) * v_pitch_,
               Span{0, out_panels()}.part(column_blocks, chunk / rows), m);
    });
  }

  void transform_inputs(const float* x, Span tiles, float* v) const {
    const float* pixels[2][36];
    WinogradTiles::Inputs<float> inputs(tiles_, x, zeros_.data());
    if (tiles.size() > 0) inputs.address(tiles.begin, 0, pixels[0]);
    const int64_t parts = tiles_.parts();
    int now = 0;
    for (int64_t i = 0; i < tiles.size(); ++i) {
      for (int64_t part = 0; part < parts; ++part, now = 1 - now) {
        const int64_t next = std::min(tiles.begin + i + (part + 1 == parts), tiles.end - 1);
        inputs.address(next, part + 1 == parts ? 0 : part + 1, pixels[1 - now]);
        float* to = v + i * v_pitch_ + part * geometry_.group_in();
        transforms_.input(pixels[now], pixels[1 - now], geometry_.group_in(), to, v_plane_);
      }
    }
  }

  /// Computes the outputs of tiles for the channels of a group's panels from the transformed inputs. m: room for the
  /// products.
  void multiply(const ConvOperands<float>& operands, int64_t group, Span tiles, const float* v, Span panels,
                float* m) const {
    const float* u = packed_.data<float>() + group * group_floats_;
    for (int64_t e = 0; e < elements_; ++e) multiply_element(u, v, tiles.size(), e, panels, m);
    const int64_t channel = group * geometry_.group_out();
    transform_outputs(operands, tiles, channel + panels_.first_column(panels.begin),
                      channel + panels_.end_column(panels.end), m);
  }

  /// Multiplies element e of the transformed inputs, [count, in channels], by the panels.
  void multiply_element(const float* u, const float* v, int64_t count, int64_t e, Span panels, float* m) const {
    const int64_t strips = ceil_div(count, strip_rows_);
    GemmStrip<GemmF32> strip;
    strip.panels = &panels_;
    strip.panel = panels.begin;
    strip.panel_end = panels.end;
    strip.b = u;
    strip.b_rows = elements_ * depth_;
    strip.y_pitch = m_pitch_;
    strip.ahead_parts = strips;
    for (int64_t k = 0; k < depth_; k += kLongestTransformedSum) {
      strip.depth = std::min(kLongestTransformedSum, depth_ - k);
      strip.accumulate = k > 0;
      strip.b_row = e * depth_ + k;
      strip.ahead_row = strip.b_row + strip.depth;
      strip.ahead_panel = strip.ahead_row < strip.b_rows ? panels.begin : -1;
      for (int64_t i = 0; i < strips; ++i) {
        const Span part = Span{0, count}.part(strips, i);
        const float* rows[kMostStripRows];
        strip.rows = int(part.size());
        for (int r = 0; r < strip.rows; ++r) rows[r] = v + e * v_plane_ + (part.begin + r) * v_pitch_ + k;
        strip.a = rows;
        strip.y = m + e * m_plane_ + part.begin * m_pitch_;
        strip.ahead_part = i;
        gemm_.strip(strip);
      }
    }
  }

  void transform_outputs(const ConvOperands<float>& operands, Span tiles, int64_t channel, int64_t end,
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
      output.epilogue = operands.bind(epilogue_, geometry_.out_channels).at(pixels.first, channel);
      transforms_.output(m + i * m_pitch_, m_plane_, output);
    }
  }

  ConvGeometry geometry_;
  Epilogue epilogue_;
  GemmKernels<GemmF32> gemm_;
  WinogradTransforms transforms_;
  WinogradTiles tiles_;
  int64_t elements_, depth_;
  GemmPanels panels_;
  int64_t group_floats_;                  // floats of a group's packed weights
  int64_t blocks_ = 1, block_tiles_ = 0;  // blocks of tiles, tiles of a block
  int64_t column_blocks_ = 1;             // blocks of panels that are multiplied together
  int strip_rows_ = 1;
  bool shared_ = false;  // whether chunks share the transformed inputs
  int64_t v_pitch_ = 0, v_plane_ = 0, m_pitch_ = 0, m_plane_ = 0;
  CountedVector<float> zeros_;
  Tensor packed_;  // panels of [element, part, in channels, column], group after group
};

}  // namespace

std::string describe_winograd(const WinogradTiles& tiles) {
  const WinogradTile& tile = tiles.tile();
  const std::string parts = tiles.parts() > 1 ? str(" in ", tiles.parts(), " parts") : "";
  return str("F(", tile.rows, "x", tile.columns, ", ", tile.row_taps(), "x", tile.column_taps(), ")", parts);
}

std::string winograd_obstacle(const ConvGeometry& geometry, const CompileInput& in) {
  const auto& [depth, height, width] = geometry.axes;
  if (model_resources(in).options.winograd_tile == 0) return "turned off";
  if (height.kernel == 1 && width.kernel == 1) return "the window is one pixel";
  if (geometry.taps() > kMostTaps || !is_narrow(height) || !is_narrow(width)) return "the window is too large";
  if (std::min(height.stride, height.dilation) > 1) return "a stride and a dilation";
  if (std::min(width.stride, width.dilation) > 1) return "a stride and a dilation";
  if (!in.constant(1)) return "the weights are not constant";
  return "";
}

ConvF32Ptr make_winograd_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const WinogradTile& tile,
                              const CompileInput& in) {
  return std::make_unique<WinogradConv>(geometry, epilogue, tile, in);
}

}  // namespace linnet
