#include <algorithm>

#include "conv/conv_algorithm.h"
#include "gemm/accuracy.h"
#include "gemm/half_weights.h"
#include "gemm/panels.h"
#include "gemm/weights.h"
#include "kernels/kernels_for.h"
#include "kernels/line_conv.h"
#include "kernels/transpose.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kMostChannels = 8;
constexpr int64_t kLeastRows = 8;      // the fewest output rows; rows divide the work
constexpr int64_t kMostRingRows = 64;  // the most rows of the ring
constexpr int64_t kLinesChunkMultiplies = 256 * 1024;

/// A convolution with few input channels. Each channel is stored as separate lines with their padding, and a row of
/// outputs is computed from the lines that its windows overlap. A chunk of work is a block of output rows, which share
/// the lines of a ring.
class LineConvolution final : public ConvAlgorithm<float> {
 public:
  LineConvolution(const ConvGeometry& geometry, bool channels_first, const Epilogue& epilogue, const CompileInput& in)
      : g_(geometry),
        channels_first_(channels_first),
        epilogue_(epilogue),
        kernels_(kernels_for<LineConvKernels>(in.isa())),
        transpose_(kernels_for<TransposeKernels>(in.isa())),
        width_(geometry.axes[2]),
        height_(geometry.axes[1]) {
    const int64_t padded = std::max(width_.in + width_.pad_begin, (width_.out - 1) * width_.stride + width_.kernel);
    pitch_ = (padded + kLineFloats) / kLineFloats * kLineFloats;
    num_lines_ = g_.in_channels * height_.kernel;
    const int64_t row_multiplies = width_.out * num_lines_ * width_.kernel * g_.out_channels;
    chunk_rows_ = std::clamp<int64_t>(kLinesChunkMultiplies / std::max<int64_t>(1, row_multiplies), 1, height_.out);
    const GemmPanels panels = equal_panels(g_.out_channels, 1, kernels_.panel_columns);
    packed_ = in.packed(*in.constant(1), packed_form("conv lines", panels), [&] {
      const Tensor constant = float_weights(*in.constant(1), in);
      const GemmWeights<float> w = weights(constant.data<float>());
      Tensor packed = in.packed_memory(DType::kFloat32, Shape{packed_size(panels, w.taps, w.depth)});
      pack_weights(w, panels, packed.data<float>());
      return packed;
    });
  }

  void run(const ConvOperands<float>& operands, KernelContext& context) const override {
    const int64_t chunks = ceil_div(height_.out, chunk_rows_);
    context.executor().parallel_for(images() * chunks, [&](int64_t chunk, int worker) {
      const int64_t row = chunk % chunks * chunk_rows_;
      run_rows(operands, chunk / chunks, row, std::min(height_.out, row + chunk_rows_), context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override {
    return pointer_bytes() + dtype_bytes(DType::kFloat32, checked_mul(ring() * g_.in_channels + 1, pitch_));
  }

  bool takes_channels_first() const override { return channels_first_; }

  std::string describe() const override { return str("direct ", kernels_.tile_pixels, "x", kernels_.panel_columns); }

 private:
  int64_t images() const { return g_.batch * g_.axes[0].out; }
  /// The number of input rows that the windows of one output row span.
  int64_t ring() const { return height_.extent(); }
  size_t pointer_bytes() const { return aligned(size_t(num_lines_) * sizeof(float*)); }

  GemmWeights<float> weights(const float* w) const {
    GemmWeights<float> result;
    result.data = w;
    result.taps = num_lines_;
    result.depth = width_.kernel;
    result.columns = g_.out_channels;
    result.tap_stride = width_.kernel;
    result.depth_stride = 1;
    result.column_stride = num_lines_ * width_.kernel;
    return result;
  }

  LineConv job_of(const ConvOperands<float>& operands, const float* const* lines) const {
    LineConv job;
    job.lines = lines;
    job.num_lines = num_lines_;
    job.width = width_.kernel;
    job.stride = width_.stride;
    job.pixels = width_.out;
    job.columns = g_.out_channels;
    job.w = packed_.data<float>();
    job.epilogue = operands.bind(epilogue_, g_.out_channels);
    return job;
  }

  /// Returns the offset in the ring of the lines of an input row.
  int64_t slot(int64_t row) const { return row % ring() * g_.in_channels * pitch_; }

  /// Scratch: addresses of lines, the ring of lines [row, channel], a line of zeros.
  void run_rows(const ConvOperands<float>& operands, int64_t image, int64_t row, int64_t row_end,
                std::byte* scratch) const {
    const auto lines = reinterpret_cast<const float**>(scratch);
    float* const memory = reinterpret_cast<float*>(scratch + pointer_bytes());
    std::fill_n(memory, (ring() * g_.in_channels + 1) * pitch_, 0.f);
    LineConv job = job_of(operands, lines);
    int64_t next = 0;  // the first input row that is not in the ring
    for (; row < row_end; ++row) {
      const int64_t first = row * height_.stride - height_.pad_begin, end = std::min(first + ring(), height_.in);
      for (next = std::max({next, first, int64_t{0}}); next < end; ++next) {
        read_row(operands.x, image, next, memory + slot(next));
      }
      choose_lines(first, memory, lines);
      job.y = operands.y + (image * height_.out + row) * width_.out * g_.out_channels;
      kernels_.row(job);
    }
  }

  /// Writes the addresses of the lines that windows read whose first row is `first`.
  void choose_lines(int64_t first, const float* memory, const float** lines) const {
    const float* const zeros = memory + ring() * g_.in_channels * pitch_;
    for (int64_t c = 0; c < g_.in_channels; ++c) {
      for (int64_t k = 0; k < height_.kernel; ++k) {
        const int64_t y = first + k * height_.dilation;
        *lines++ = y >= 0 && y < height_.in ? memory + slot(y) + c * pitch_ : zeros;
      }
    }
  }

  /// Copies one input row to a line for each channel; lines are `pitch_` apart.
  void read_row(const float* x, int64_t image, int64_t row, float* line) const {
    line += width_.pad_begin;
    if (!channels_first_) {
      x += (image * height_.in + row) * width_.in * g_.in_channels;
      return transpose_.bits32(x, width_.in, g_.in_channels, g_.in_channels, line, pitch_);
    }
    for (int64_t c = 0; c < g_.in_channels; ++c) {
      std::copy_n(x + ((image * g_.in_channels + c) * height_.in + row) * width_.in, width_.in, line + c * pitch_);
    }
  }

  ConvGeometry g_;
  bool channels_first_;
  Epilogue epilogue_;
  LineConvKernels kernels_;
  TransposeKernels transpose_;
  ConvAxis width_, height_;
  int64_t pitch_ = 0, num_lines_ = 0, chunk_rows_ = 1;
  Tensor packed_;
};

}  // namespace

bool suits_line_conv(const ConvGeometry& g, const CompileInput& in) {
  const auto& [depth, height, width] = g.axes;
  const bool planar = depth.kernel == 1 && depth.in == 1 && depth.out == 1;
  return planar && g.group == 1 && g.in_channels <= kMostChannels && g.taps() > 1 &&
         g.taps() * g.in_channels <= kLongestTransformedSum && width.dilation == 1 && width.stride <= 2 &&
         height.out >= kLeastRows && height.extent() <= kMostRingRows && in.constant(1) && !in.has(3) &&
         width.out >= kernels_for<LineConvKernels>(in.isa()).tile_pixels;
}

ConvF32Ptr make_line_conv(const ConvGeometry& geometry, bool channels_first, const Epilogue& epilogue,
                          const CompileInput& in) {
  return std::make_unique<LineConvolution>(geometry, channels_first, epilogue, in);
}

}  // namespace linnet
