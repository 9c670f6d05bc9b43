#include <algorithm>

#include "conv/conv_algorithm.h"
#include "conv/depthwise_row.h"
#include "conv/pointwise_depthwise.h"
#include "conv/pointwise_weights.h"
#include "gemm/half_weights.h"
#include "gemm/panels.h"
#include "kernels/depthwise.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kBlockChannels = 64;  // fewest channels of a chunk; its lines stay in the first caches
constexpr int64_t kLeastPartRows = 14;

/// Returns the number of pixels of a line of the product with its padding, so that no window reaches over its ends.
int64_t padded_pixels(const ConvAxis& width) {
  return std::max(width.pad_begin + width.in, (width.out - 1) * width.stride + width.extent());
}

/// A chunk is a block of channels of a part of the output's rows. The lines of the product that the part reads are
/// computed for the block just before the depthwise convolution reads them. They are stored in a ring for as long as a
/// window spans them.
template <class Type>
class PointwiseDepthwise final : public Kernel {
  using B = typename Type::B;

 public:
  PointwiseDepthwise(int64_t depth, const ConvGeometry& geometry, const Epilogue& inner, const Epilogue& outer,
                     const CompileInput& in)
      : depth_(depth),
        geometry_(geometry),
        inner_(inner),
        outer_(outer),
        gemm_(kernels_for<GemmKernels<Type>>(in.isa())),
        depthwise_(kernels_for<DepthwiseKernels>(in.isa())),
        panels_(choose_panels(gemm_, geometry.in_channels, depth)),
        strip_rows_(choose_strip_rows(gemm_, panels_, geometry.axes[2].in, depth)),
        blocks_(std::clamp<int64_t>(geometry.in_channels / kBlockChannels, 1, panels_.count())),
        pointwise_(packed_pointwise_weights<B>(*in.constant(1), panels_, in)),
        taps_(packed_depthwise_weights(*in.constant(2), geometry, in)) {
    const int64_t rows = geometry.axes[1].out;
    parts_ =
        std::min(ceil_div(kDepthwiseChunks, std::max<int64_t>(1, geometry.batch * blocks_)), rows / kLeastPartRows);
    parts_ = std::max<int64_t>(1, parts_);
    pointer_bytes_ = aligned(size_t(strip_rows_ + line_pointers(geometry)) * sizeof(float*));
    int64_t widest = 0;
    for (int64_t i = 0; i < blocks_; ++i) widest = std::max(widest, channels_of(panels_of(i)).size());
    line_floats_ = checked_mul(padded_pixels(geometry.axes[2]), aligned_floats(widest));
  }

  void run(KernelContext& context) const override {
    if (geometry_.out_pixels() == 0) return;
    context.executor().parallel_for(geometry_.batch * parts_ * blocks_, [&](int64_t index, int worker) {
      Chunk chunk = chunk_of(index);
      Lines lines = lines_of(chunk, context.scratch(worker));
      for (int64_t row = chunk.rows.begin; row < chunk.rows.end; ++row) run_row(context, chunk, row, lines);
    });
  }

  size_t scratch_bytes() const override {
    return pointer_bytes_ + dtype_bytes(DType::kFloat32, checked_mul(geometry_.axes[1].extent(), line_floats_));
  }
  bool reads(int input) const override { return input != 1 && input != 2; }
  std::string describe() const override {
    return str("GEMM ", describe_tiles(gemm_, panels_, strip_rows_), " and depthwise, ", blocks_,
               blocks_ == 1 ? " block" : " blocks", " of channels", weights_text<B>());
  }

 private:
  /// Some output rows of some channels of an image.
  struct Chunk {
    int64_t image;
    Span panels, channels, rows;
  };

  /// The lines of the product that are computed so far, consecutive in a ring, with their padding.
  struct Lines {
    const float** pointers;
    float* ring;
    int64_t pixels, pixel_pitch;
    int64_t extent;    // lines in the ring
    int64_t computed;  // lines of the image, counted from the first one that is read

    float* line(int64_t i) const { return ring + i % extent * pixels * pixel_pitch; }
  };

  static int64_t aligned_floats(int64_t floats) { return ceil_div(floats, 16) * 16; }

  Span panels_of(int64_t block) const { return Span{0, panels_.count()}.part(blocks_, block); }
  Span channels_of(const Span& panels) const {
    return {panels_.first_column(panels.begin), panels_.end_column(panels.end)};
  }

  Chunk chunk_of(int64_t index) const {
    const Span panels = panels_of(index % blocks_), rows{0, geometry_.axes[1].out};
    return {index / blocks_ / parts_, panels, channels_of(panels), rows.part(parts_, index / blocks_ % parts_)};
  }

  Lines lines_of(const Chunk& chunk, std::byte* scratch) const {
    const ConvAxis &height = geometry_.axes[1], &width = geometry_.axes[2];
    Lines lines;
    lines.pointers = reinterpret_cast<const float**>(scratch);
    lines.ring = reinterpret_cast<float*>(scratch + pointer_bytes_);
    lines.pixels = padded_pixels(width);
    lines.pixel_pitch = aligned_floats(chunk.channels.size());
    lines.extent = height.extent();
    lines.computed = std::max<int64_t>(0, chunk.rows.begin * height.stride - height.pad_begin);
    for (int64_t i = 0; i < lines.extent; ++i) {
      float* const line = lines.line(i);
      std::fill(line, line + width.pad_begin * lines.pixel_pitch, 0.f);
      std::fill(line + (width.pad_begin + width.in) * lines.pixel_pitch, line + lines.pixels * lines.pixel_pitch, 0.f);
    }
    return lines;
  }

  /// Computes an output row, after the lines that its windows are the first to reach.
  void run_row(KernelContext& context, const Chunk& chunk, int64_t out_row, Lines& lines) const {
    const ConvAxis& height = geometry_.axes[1];
    const int64_t end = std::min(height.in, out_row * height.stride - height.pad_begin + height.extent());
    for (; lines.computed < end; ++lines.computed) compute_line(context, chunk, lines);
    DepthwiseRow row = depthwise_row(geometry_.axes[2], chunk.channels.size());
    row.in = lines.pixels;
    row.pad_begin = 0;
    row.epilogue = with_bias(outer_, context.input(4), chunk);
    row.x_pitch = lines.pixel_pitch;
    row.w_pitch = row.y_pitch = geometry_.in_channels;
    const int64_t pixel = chunk.image * geometry_.out_pixels() + out_row * row.out;
    row.y = context.output(0).data<float>() + pixel * geometry_.in_channels + chunk.channels.begin;
    const auto line_at = [&](int64_t line) { return lines.line(line); };
    set_lines(geometry_, out_row, false, taps_.data<float>() + chunk.channels.begin, line_at,
              lines.pointers + strip_rows_, row);
    depthwise_.row_f32(row);
  }

  void compute_line(KernelContext& context, const Chunk& chunk, const Lines& lines) const {
    const ConvAxis& width = geometry_.axes[2];
    const int64_t strips = ceil_div(width.in, strip_rows_);
    const float* x =
        context.input(0).data<float>() + (chunk.image * geometry_.in_pixels() + lines.computed * width.in) * depth_;
    GemmStrip<Type> strip;
    strip.depth = depth_;
    strip.a = lines.pointers;
    strip.panels = &panels_;
    strip.panel = chunk.panels.begin;
    strip.panel_end = chunk.panels.end;
    strip.b = pointwise_.data<B>();
    strip.b_rows = depth_;
    strip.y_pitch = lines.pixel_pitch;
    strip.epilogue = with_bias(inner_, context.input(3), chunk);
    for (int64_t i = 0; i < strips; ++i) {
      const Span pixels = Span{0, width.in}.part(strips, i);
      strip.rows = int(pixels.size());
      for (int r = 0; r < strip.rows; ++r) lines.pointers[r] = x + (pixels.begin + r) * depth_;
      strip.y = lines.line(lines.computed) + (width.pad_begin + pixels.begin) * lines.pixel_pitch;
      gemm_.strip(strip);
    }
  }

  static Epilogue with_bias(Epilogue epilogue, const Tensor& bias, const Chunk& chunk) {
    if (bias) epilogue.bias = bias.data<float>() + chunk.channels.begin;
    return epilogue;
  }

  int64_t depth_;
  ConvGeometry geometry_;
  Epilogue inner_, outer_;
  GemmKernels<Type> gemm_;
  DepthwiseKernels depthwise_;
  GemmPanels panels_;
  int strip_rows_;
  int64_t blocks_, parts_ = 1;
  Tensor pointwise_, taps_;
  int64_t line_floats_ = 0;
  size_t pointer_bytes_ = 0;
};

}  // namespace

KernelPtr make_pointwise_depthwise(int64_t depth, const ConvGeometry& geometry, const Epilogue& inner,
                                   const Epilogue& outer, const CompileInput& in) {
  return with_weights_of(in, 1, [&]<class Type>() -> KernelPtr {
    return std::make_unique<PointwiseDepthwise<Type>>(depth, geometry, inner, outer, in);
  });
}

}  // namespace linnet
