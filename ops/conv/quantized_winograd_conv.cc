#include <algorithm>

#include "compile/compile_input.h"
#include "conv/conv_cost.h"
#include "conv/quantized_conv.h"
#include "conv/winograd_tiles.h"
#include "gemm/panels.h"
#include "gemm/quantized_gemm.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "kernels/winograd.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

constexpr int kMostInputs = 6, kMostElements = kMostInputs * kMostInputs;
constexpr int64_t kRunPixels = 16;  // pixels of a row of tiles that are stored together
constexpr int64_t kLineBytes = 64;
constexpr int64_t kMostPitch = GemmS16::kUnit * kWidestPanel * kLineBytes / sizeof(int32_t);  // longest row of a panel

/// The number of columns whose products are stored at a time.
constexpr int64_t group_columns(int outputs) { return outputs == 2 ? 128 : 64; }

// Costs in multiplications of whole vectors (conv_cost.h).
constexpr TransformCost byte_transform_cost(int outputs) {
  return outputs == 2 ? TransformCost{50, 60} : TransformCost{140, 180};
}

constexpr double kBytes = 0.75;    // factor where pairs of bytes are multiplied
constexpr double kPartPixel = 25;  // cost of reading the channels of an input that do not fill a vector

/// Transforms the taps along one axis by whole numbers (WinogradByteTransforms).
void transform_taps(int outputs, const int32_t* g, int64_t pitch, int32_t* u) {
  const int32_t first = g[0], middle = g[pitch], last = g[2 * pitch];
  if (outputs == 2) {
    u[0] = -2 * first;
    u[1] = first + middle + last;
    u[2] = first - middle + last;
    u[3] = 2 * last;
    return;
  }
  u[0] = first;
  u[1] = first + middle + last;
  u[2] = first - middle + last;
  u[3] = first + 2 * middle + 4 * last;
  u[4] = first - 2 * middle + 4 * last;
  u[5] = last;
}

void transform_filter(int outputs, const int8_t* w, int32_t* u) {
  const int n = outputs + 2;
  int32_t taps[9], rows[3 * kMostInputs], column[kMostInputs];
  std::copy_n(w, 9, taps);
  for (int i = 0; i < 3; ++i) transform_taps(outputs, taps + 3 * i, 1, rows + n * i);
  for (int j = 0; j < n; ++j) {
    transform_taps(outputs, rows + j, n, column);
    for (int i = 0; i < n; ++i) u[n * i + j] = column[i];
  }
}

/// Returns the greatest magnitude that a sum of products can have for any zero point of x.
int64_t greatest_sum(const ConvGeometry& geometry, const CompileInput& in) {
  const Tensor& w = *in.constant(Q::kW);
  const auto find = [&] {
    const int64_t row = w.size() / std::max<int64_t>(1, geometry.out_channels);
    const int8_t* value = w.data<int8_t>();
    int64_t greatest = 0;
    for (int64_t j = 0; j < geometry.out_channels; ++j) {
      int64_t positive = 0, negative = 0;
      for (int64_t i = 0; i < row; ++i, ++value) (*value > 0 ? positive : negative) += std::abs(int(*value));
      greatest = std::max({greatest, positive, negative});
    }
    return Tensor::scalar(checked_mul(int64_t{255}, greatest));
  };
  return *in.packed(w, {"greatest sum", {}}, find).data<int64_t>();
}

/// A convolution of 3x3 windows by Winograd's minimal filtering in 16-bit integers, which is exact. Each chunk of work
/// is a block of tiles and some panels of output channels. Scratch of each worker: the transformed inputs, their
/// products, the sums of a tile. Scratch of the first worker also: the output's and a line of padding.
class QuantizedWinogradConv final : public Kernel {
 public:
  QuantizedWinogradConv(const ConvGeometry& geometry, int outputs, const Activation& activation, const CompileInput& in)
      : geometry_(geometry),
        outputs_(outputs),
        elements_((outputs + 2) * (outputs + 2)),
        gemm_(kernels_for<GemmKernels<GemmS16>>(in.isa())),
        transforms_(kernels_for<WinogradKernels>(in.isa()).of_bytes(outputs)),
        tiles_(geometry, {outputs, outputs}),
        panels_(choose_panels(gemm_, geometry.out_channels, steps())),
        output_(in, geometry.out_channels, activation) {
    const int workers = in.executor().workers();
    blocks_ = checked_mul(ceil_div(ceil_div(tiles_.count(), kWinogradBlockTiles), workers), workers);
    blocks_ = std::clamp<int64_t>(blocks_, 1, std::max<int64_t>(1, tiles_.count() / (kWinogradBlockTiles / 3)));
    parts_ = std::min(panels_.count(), ceil_div(workers, blocks_));
    groups_ = std::clamp<int64_t>(geometry.out_channels / parts_ / group_columns(outputs), 1, panels_.count() / parts_);
    strip_rows_ = choose_strip_rows(gemm_, panels_, block_tiles(), steps());
    lay_out_scratch();
    const Tensor& w = *in.constant(Q::kW);
    packed_ = in.packed(w, packed_form("quantized winograd", panels_, {outputs}), [&] { return pack(w, in); });
  }

  void run(KernelContext& context) const override {
    const QuantizedOutput::Bound output = output_.bind(context, context.scratch() + output_offset_);
    const uint8_t zero = *context.input(Q::kXZero).data<uint8_t>();
    auto* padding = reinterpret_cast<uint8_t*>(context.scratch() + padding_offset_);
    std::fill_n(padding, geometry_.in_channels, zero);
    const Images images{context.input(Q::kX).data<uint8_t>(), padding, zero};
    const int32_t* bias = output_.sum_bias(context);
    context.executor().parallel_for(checked_mul(blocks_, parts_), [&](int64_t chunk, int worker) {
      const Span tiles = Span{0, tiles_.count()}.part(blocks_, chunk / parts_);
      const Span panels = Span{0, panels_.count()}.part(parts_, chunk % parts_);
      std::byte* scratch = context.scratch(worker);
      transform_inputs(images, tiles, reinterpret_cast<int16_t*>(scratch));
      for (int64_t group = 0; group < groups_; ++group) {
        multiply(tiles.size(), panels.part(groups_, group), scratch);
        store(tiles, panels.part(groups_, group), bias, output, scratch);
      }
    });
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  bool reads(int input) const override { return input != Q::kW; }
  std::string describe() const override {
    return str("int16 Winograd F(", outputs_, "x", outputs_, ", 3x3) ", describe_tiles(gemm_, panels_, strip_rows_));
  }

 private:
  struct Images {
    const uint8_t *x, *padding;
    int32_t zero;
  };

  int64_t steps() const { return ceil_div(geometry_.in_channels, GemmS16::kUnit); }
  int64_t block_tiles() const { return ceil_div(tiles_.count(), blocks_); }

  void lay_out_scratch() {
    const int64_t whole_vectors = checked_mul(ceil_div(geometry_.in_channels, kLineBytes), kLineBytes);
    v_pitch_ = odd_lines(whole_vectors, sizeof(int16_t));
    v_plane_ = checked_mul(v_pitch_, block_tiles()) + kLineBytes / int64_t{sizeof(int16_t)};
    m_pitch_ = odd_lines(most_columns(), sizeof(int32_t));
    m_plane_ = checked_mul(m_pitch_, block_tiles()) + kLineBytes / int64_t{sizeof(int32_t)};
    m_offset_ = aligned(dtype_bytes(DType::kInt16, checked_mul(elements_, v_plane_)));
    sums_offset_ = m_offset_ + aligned(dtype_bytes(DType::kInt32, checked_mul(elements_, m_plane_)));
    output_offset_ = sums_offset_ + aligned(dtype_bytes(
                                        DType::kInt32, checked_mul(checked_mul(kRunPixels, outputs_), most_columns())));
    padding_offset_ = output_offset_ + output_.scratch_bytes();
    scratch_bytes_ = padding_offset_ + size_t(geometry_.in_channels);
  }

  /// The largest number of columns of a group, in whole vectors.
  int64_t most_columns() const {
    int64_t most = 0;
    for (int64_t part = 0; part < parts_; ++part) {
      for (int64_t group = 0; group < groups_; ++group) {
        const Span panels = Span{0, panels_.count()}.part(parts_, part).part(groups_, group);
        most = std::max(most, panels_.first_column(panels.end) - panels_.first_column(panels.begin));
      }
    }
    return most;
  }

  /// Returns the weights packed as [panel][element][step][column][2].
  Tensor pack(const Tensor& w, const CompileInput& in) const {
    Tensor packed =
        in.packed_memory(DType::kInt16, Shape{packed_size(panels_, elements_, geometry_.in_channels, GemmS16::kUnit)});
    in.executor().parallel_for(panels_.count(), [&](int64_t panel, int) {
      int16_t* to =
          packed.data<int16_t>() + panel_begin(panels_, panel, elements_, geometry_.in_channels, GemmS16::kUnit);
      pack_panel(w.data<int8_t>(), panel, to);
    });
    return packed;
  }

  /// Packs one line of every element at a time, so that no cache line is written in pieces.
  void pack_panel(const int8_t* w, int64_t panel, int16_t* to) const {
    constexpr int kUnit = GemmS16::kUnit;
    const int64_t first = panels_.first_column(panel), depth = geometry_.in_channels;
    const int64_t columns = panels_.end_column(panel + 1) - first,
                  pitch = kUnit * (panels_.first_column(panel + 1) - first);
    const int64_t plane = steps() * pitch;
    int16_t lines[kMostElements][kMostPitch] = {};
    for (int64_t k = 0; k < depth; k += kUnit, to += pitch) {
      for (int64_t i = 0; i < kUnit; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          int32_t u[kMostElements] = {};
          if (k + i < depth) transform_filter(outputs_, w + ((first + j) * depth + k + i) * 9, u);
          for (int e = 0; e < elements_; ++e) lines[e][j * kUnit + i] = int16_t(u[e]);
        }
      }
      for (int e = 0; e < elements_; ++e) std::copy_n(lines[e], pitch, to + e * plane);
    }
  }

  void transform_inputs(const Images& images, const Span& tiles, int16_t* v) const {
    const uint8_t* pixels[kMostElements];
    WinogradTiles::Inputs<uint8_t> inputs(tiles_, images.x, images.padding);
    for (int64_t i = 0; i < tiles.size(); ++i) {
      inputs.address(tiles.begin + i, 0, pixels);
      transforms_.input(pixels, geometry_.in_channels, images.zero, v + i * v_pitch_, v_plane_);
    }
  }

  /// Multiplies the transformed inputs by the panels, element by element.
  void multiply(int64_t count, const Span& panels, std::byte* scratch) const {
    const int64_t strips = ceil_div(count, strip_rows_);
    GemmStrip<GemmS16> strip;
    strip.panels = &panels_;
    strip.panel = panels.begin;
    strip.panel_end = panels.end;
    strip.depth = geometry_.in_channels;
    strip.b = packed_.data<int16_t>();
    strip.b_rows = elements_ * steps();
    strip.y_pitch = m_pitch_;
    strip.ahead_parts = strips;
    for (int64_t e = 0; e < elements_; ++e) {
      strip.b_row = e * steps();
      strip.ahead_row = strip.b_row + steps();
      strip.ahead_panel = e + 1 < elements_ ? panels.begin : -1;
      for (int64_t i = 0; i < strips; ++i) {
        const Span part = Span{0, count}.part(strips, i);
        const int16_t* rows[kMostStripRows];
        strip.rows = int(part.size());
        for (int r = 0; r < strip.rows; ++r) {
          rows[r] = reinterpret_cast<int16_t*>(scratch) + e * v_plane_ + (part.begin + r) * v_pitch_;
        }
        strip.a = rows;
        strip.y = reinterpret_cast<int32_t*>(scratch + m_offset_) + e * m_plane_ + part.begin * m_pitch_;
        strip.ahead_part = i;
        gemm_.strip(strip);
      }
    }
  }

  /// Consecutive tiles of a row of tiles, whose outputs are adjacent pixels.
  struct Run {
    int64_t tiles, pixels;  // pixels of each row
    WinogradTiles::Outputs first;
  };
  Run run_from(int64_t tile, int64_t end) const {
    const WinogradTiles::Outputs first = tiles_.outputs(tile);
    Run run{1, first.columns, first};
    if (tiles_.column_pitch() > 1) return run;
    int columns = first.columns;  // columns of the last tile
    for (; tile + run.tiles < end && run.pixels + outputs_ <= kRunPixels; ++run.tiles) {
      const WinogradTiles::Outputs next = tiles_.outputs(tile + run.tiles);
      const bool follows = columns == outputs_ && next.first == first.first + run.pixels;
      if (!follows || next.rows != first.rows) break;
      columns = next.columns;
      run.pixels += columns;
    }
    return run;
  }

  void store(const Span& tiles, const Span& panels, const int32_t* bias, const QuantizedOutput::Bound& output,
             std::byte* scratch) const {
    const Span columns{panels_.first_column(panels.begin), panels_.end_column(panels.end)};
    const auto* m = reinterpret_cast<const int32_t*>(scratch + m_offset_);
    auto* sums = reinterpret_cast<int32_t*>(scratch + sums_offset_);
    const int64_t pitch = kRunPixels * columns.size();
    for (int64_t i = 0; i < tiles.size();) {
      const Run run = run_from(tiles.begin + i, tiles.end);
      for (int64_t t = 0; t < run.tiles; ++t, ++i) {
        transforms_.output(m + i * m_pitch_, m_plane_, columns.size(), bias ? bias + columns.begin : nullptr,
                           sums + t * outputs_ * columns.size(), pitch);
      }
      for (int r = 0; r < run.first.rows; ++r) store_row(run, r, columns, sums + r * pitch, output);
    }
  }

  void store_row(const Run& run, int row, const Span& columns, const int32_t* sums,
                 const QuantizedOutput::Bound& output) const {
    const int64_t first = run.first.first + row * tiles_.row_pitch(), pitch = tiles_.column_pitch();
    if (pitch == 1) return output.store({first, first + run.pixels}, columns, sums);
    for (int64_t c = 0; c < run.pixels; ++c) {
      output.store({first + c * pitch, first + c * pitch + 1}, columns, sums + c * columns.size());
    }
  }

  ConvGeometry geometry_;
  int outputs_, elements_;  // along a side of a tile, of a transformed tile
  GemmKernels<GemmS16> gemm_;
  WinogradByteTransforms transforms_;
  WinogradTiles tiles_;
  GemmPanels panels_;
  QuantizedOutput output_;
  int64_t blocks_ = 1;              // blocks of tiles
  int64_t parts_ = 1, groups_ = 1;  // parts of the panels, one per chunk; groups that are multiplied together
  int strip_rows_ = 1;
  int64_t v_pitch_ = 0, v_plane_ = 0, m_pitch_ = 0, m_plane_ = 0;
  size_t m_offset_ = 0, sums_offset_ = 0, output_offset_ = 0, padding_offset_ = 0, scratch_bytes_ = 0;
  Tensor packed_;
};

double direct_cost(const ConvGeometry& g, const TileFamily& gemm, bool bytes) {
  const double rows = double(g.batch) * double(g.out_pixels()), steps = double(9 * g.in_channels) / gemm.unit;
  return rows * (steps * (bytes ? kBytes : 1) + kSumCost) * vectors_of(g.out_channels, gemm.lanes);
}

double quantized_winograd_cost(const ConvGeometry& g, int outputs, const TileFamily& gemm) {
  const double tiles = double(WinogradTiles(g, {outputs, outputs}).count()),
               columns = vectors_of(g.out_channels, gemm.lanes);
  const double elements = (outputs + 2) * (outputs + 2);
  const double parts = g.in_channels % (gemm.lanes * gemm.unit) == 0 ? 0 : kPartPixel;
  const TransformCost transform = byte_transform_cost(outputs);
  return tiles * (elements * ((double(g.in_channels) / gemm.unit + kSumCost) * columns + parts) +
                  transform.input * vectors_of(g.in_channels, gemm.lanes * gemm.unit) + transform.output * columns);
}

/// Whether 4 times (2 outputs) or 64 times (4 outputs) the greatest sum fits into 32 bits: see WinogradByteTransforms.
bool sums_fit(const ConvGeometry& g, int outputs, const CompileInput& in) {
  return greatest_sum(g, in) < (int64_t{1} << (outputs == 2 ? 29 : 25));
}

}  // namespace

int quantized_winograd_tile(const ConvGeometry& geometry, const CompileInput& in) {
  const auto& [depth, height, width] = geometry.axes;
  if (multiplies_bytes(in.isa()) || in.has(Q::kWZero) || !in.constant(Q::kW)) return 0;
  if (geometry.group != 1) return 0;
  if (depth.kernel != 1 || depth.in != depth.out || depth.stride != 1 || depth.pad_begin != 0) return 0;
  if (height.kernel != 3 || width.kernel != 3 || height.stride != 1 || width.stride != 1) return 0;
  const TileFamily& gemm = kernels_for<GemmKernels<GemmS16>>(in.isa());
  double least = direct_cost(geometry, gemm, multiplies_bytes(in, Q::kW));
  int best = 0;
  for (const int outputs : {2, 4}) {
    if (outputs > model_resources(in).options.winograd_tile) break;
    const double cost = quantized_winograd_cost(geometry, outputs, gemm);
    if (cost < least && sums_fit(geometry, outputs, in)) least = cost, best = outputs;
  }
  return best;
}

KernelPtr make_quantized_winograd_conv(const ConvGeometry& geometry, int outputs, const Activation& activation,
                                       const CompileInput& in) {
  return std::make_unique<QuantizedWinogradConv>(geometry, outputs, activation, in);
}

}  // namespace linnet
