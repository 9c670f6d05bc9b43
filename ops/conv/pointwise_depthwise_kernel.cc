#include <algorithm>

#include "conv/conv_algorithm.h"
#include "conv/depthwise_row.h"
#include "conv/pointwise_depthwise.h"
#include "conv/pointwise_weights.h"
#include "kernels/kernel_table.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kBlockChannels = 64;  // of one chunk at least, so that its lines stay in the first caches
constexpr int64_t kChunks = 8, kLeastRows = 14;

/// What lines of the product take, padding included: then no window reaches over their ends.
int64_t padded_pixels(const ConvAxis& width) {
  return std::max(width.pad_begin + width.in, (width.out - 1) * width.stride + width.extent());
}

/// Chunks are blocks of channels of parts of the output's rows: the lines of the product that a part of rows reads are
/// computed for the block just before the depthwise convolution reads them.
class PointwiseDepthwise final : public Kernel {
 public:
  PointwiseDepthwise(int64_t depth, const ConvGeometry& geometry, const Epilogue& inner, const Epilogue& outer,
                     const CompileInput& in)
      : depth_(depth),
        geometry_(geometry),
        inner_(inner),
        outer_(outer),
        gemm_(kernel_table(in.isa()).gemm),
        depthwise_(kernel_table(in.isa()).depthwise),
        block_(ceil_div(kBlockChannels, gemm_.panel_columns) * gemm_.panel_columns),
        blocks_(std::max<int64_t>(1, geometry.in_channels / block_)),
        pointwise_(packed_pointwise_weights(*in.constant(1), in)),
        taps_(packed_depthwise_weights(*in.constant(2), geometry, in)) {
    const int64_t rows = geometry.axes[1].out;
    parts_ = std::min(ceil_div(kChunks, std::max<int64_t>(1, geometry.batch * blocks_)), rows / kLeastRows);
    parts_ = std::max<int64_t>(1, parts_);
    pointer_bytes_ = aligned(size_t(gemm_.tile_rows + line_pointers(geometry)) * sizeof(float*));
    const int64_t widest = std::min(geometry.in_channels, 2 * block_);
    line_floats_ = checked_mul(padded_pixels(geometry.axes[2]), aligned_floats(widest));
  }

  void run(KernelContext& context) const override {
    if (geometry_.out_pixels() == 0) return;
    context.executor().parallel_for(geometry_.batch * parts_ * blocks_, [&](int64_t chunk, int worker) {
      Chunk c(*this, context, chunk, context.scratch(worker));
      for (int64_t row = c.first_row; row < c.end_row; ++row) c.run_row(row);
    });
  }

  size_t scratch_bytes() const override {
    return pointer_bytes_ + dtype_bytes(DType::kFloat32, checked_mul(geometry_.axes[1].extent(), line_floats_));
  }
  bool reads(int input) const override { return input != 1 && input != 2; }
  std::string describe() const override {
    return str("GEMM ", gemm_.tile_rows, "x", gemm_.panel_columns, " and depthwise, ", block_, " channels at a time");
  }

 private:
  static int64_t aligned_floats(int64_t floats) { return ceil_div(floats, 16) * 16; }

  /// The work on one chunk. The lines of the product that a window spans are kept in a ring.
  struct Chunk {
    const PointwiseDepthwise& k;
    int64_t channel, channels, first_row, end_row;
    int64_t computed;  // lines of the product, the first that is read included
    const float* x;    // the image
    float* y;
    const float** pointers;
    float* ring;
    DepthwiseRow row;
    Epilogue inner;

    Chunk(const PointwiseDepthwise& kernel, KernelContext& context, int64_t chunk, std::byte* scratch) : k(kernel) {
      const ConvGeometry& g = k.geometry_;
      const int64_t block = chunk % k.blocks_, part = chunk / k.blocks_ % k.parts_,
                    image = chunk / k.blocks_ / k.parts_;
      channel = block * k.block_;
      channels = (block + 1 == k.blocks_ ? g.in_channels : channel + k.block_) - channel;
      first_row = part_begin(g.axes[1].out, k.parts_, part);
      end_row = part_begin(g.axes[1].out, k.parts_, part + 1);
      computed = std::max<int64_t>(0, first_row * g.axes[1].stride - g.axes[1].pad_begin);
      x = context.input(0).data<float>() + image * g.in_pixels() * k.depth_;
      y = context.output(0).data<float>() + image * g.out_pixels() * g.in_channels + channel;
      pointers = reinterpret_cast<const float**>(scratch);
      ring = reinterpret_cast<float*>(scratch + k.pointer_bytes_);
      inner = with_bias(k.inner_, context.input(3));
      row = depthwise_row(g.axes[2], channels);
      row.in = padded_pixels(g.axes[2]);
      row.pad_begin = 0;
      row.epilogue = with_bias(k.outer_, context.input(4));
      row.x_pitch = aligned_floats(channels);
      row.w_pitch = row.y_pitch = g.in_channels;
      for (int64_t i = 0; i < g.axes[1].extent(); ++i) clear_padding(slot(i));
    }

    Epilogue with_bias(Epilogue epilogue, const Tensor& bias) const {
      if (bias) epilogue.bias = bias.data<float>() + channel;
      return epilogue;
    }

    float* slot(int64_t line) const { return ring + line % k.geometry_.axes[1].extent() * row.in * row.x_pitch; }

    void clear_padding(float* line) const {
      const ConvAxis& width = k.geometry_.axes[2];
      std::fill(line, line + width.pad_begin * row.x_pitch, 0.f);
      std::fill(line + (width.pad_begin + width.in) * row.x_pitch, line + row.in * row.x_pitch, 0.f);
    }

    void run_row(int64_t out_row) {
      const ConvGeometry& g = k.geometry_;
      const ConvAxis& height = g.axes[1];
      const int64_t end = std::min(height.in, out_row * height.stride - height.pad_begin + height.extent());
      for (; computed < end; ++computed) compute_line();
      row.y = y + out_row * row.out * g.in_channels;
      const auto line_at = [this](int64_t line) { return slot(line); };
      set_lines(g, out_row, k.taps_.data<float>() + channel, line_at, pointers + k.gemm_.tile_rows, row);
      k.depthwise_.row_f32(row);
    }

    void compute_line() {
      const ConvAxis& width = k.geometry_.axes[2];
      const int64_t tiles = ceil_div(width.in, k.gemm_.tile_rows);
      for (int64_t tile = 0; tile < tiles; ++tile) {
        const int64_t first = part_begin(width.in, tiles, tile);
        compute_pixels(first, int(part_begin(width.in, tiles, tile + 1) - first));
      }
    }

    void compute_pixels(int64_t first, int count) {
      const ConvAxis& width = k.geometry_.axes[2];
      const float* from = x + (computed * width.in + first) * k.depth_;
      for (int i = 0; i < count; ++i) pointers[i] = from + i * k.depth_;
      GemmStrip strip;
      strip.rows = count;
      strip.columns = channels;
      strip.depth = k.depth_;
      strip.a = pointers;
      strip.panel_pitch = k.depth_ * k.gemm_.panel_columns;
      strip.b = k.pointwise_.data<float>() + channel / k.gemm_.panel_columns * strip.panel_pitch;
      strip.y = slot(computed) + (width.pad_begin + first) * row.x_pitch;
      strip.y_pitch = row.x_pitch;
      strip.epilogue = inner;
      k.gemm_.strip(strip);
    }
  };

  int64_t depth_;
  ConvGeometry geometry_;
  Epilogue inner_, outer_;
  GemmKernels gemm_;
  DepthwiseKernels depthwise_;
  int64_t block_, blocks_, parts_ = 1;
  Tensor pointwise_, taps_;
  int64_t line_floats_ = 0;
  size_t pointer_bytes_ = 0;
};

}  // namespace

KernelPtr make_pointwise_depthwise(int64_t depth, const ConvGeometry& geometry, const Epilogue& inner,
                                   const Epilogue& outer, const CompileInput& in) {
  return std::make_unique<PointwiseDepthwise>(depth, geometry, inner, outer, in);
}

}  // namespace linnet
