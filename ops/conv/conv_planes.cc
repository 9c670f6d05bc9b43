#include <algorithm>

#include "conv/conv_algorithm.h"
#include "conv/plane_weights.h"
#include "gemm/panels.h"
#include "gemm/weights.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "partition/checkpoints.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

// Bounds of the number of pixels whose windows are copied and multiplied at a time. Rows of y are written faster the
// longer they are, so a block fills about half of a second-level cache. There must also be enough blocks for all
// threads.
constexpr int64_t kLeastBlockPixels = 512, kBlockValues = int64_t{40} << 10, kBlocksPerWorker = 4;

int64_t block_pixels(const ConvGeometry& g, int64_t depth, int64_t panel, int workers) {
  const int64_t share = checked_mul(g.batch, g.out_pixels()) / kBlocksPerWorker / workers;
  const int64_t pixels = std::max(kLeastBlockPixels, std::min(kBlockValues / depth, share));
  return pixels - pixels % panel;
}

/// The widest panel of a family's tiles, in vectors.
int widest_panel(const TileFamily& tiles) {
  int width = kWidestPanel;
  while (width > 1 && tiles.tile_rows[width - 1] == 0) --width;
  return width;
}

/// y = W * X, where W is [out channels, values of a window] and X is [values of a window, pixels], so that x and y stay
/// channels-first. A chunk of work is a block of pixels; it copies their windows to panels.
class PlaneConvolution final : public ConvAlgorithm<float> {
 public:
  PlaneConvolution(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in)
      : g_(geometry),
        epilogue_(epilogue),
        kernels_(kernels_for<GemmKernels<GemmF32>>(in.isa())),
        window_(checked_mul(g_.in_channels, g_.taps())),
        depth_(window_ + (in.has(2) ? 1 : 0)),
        panel_pixels_(checked_mul(widest_panel(kernels_), kernels_.lanes)),
        block_pixels_(block_pixels(g_, depth_, panel_pixels_, in.executor().workers())),
        blocks_(ceil_div(g_.out_pixels(), block_pixels_)),
        strip_rows_(choose_strip_rows(kernels_, panels(block_pixels_), g_.out_channels, depth_)),
        packed_(packed_plane_weights(g_, in)) {}

  void run(const ConvOperands<float>& operands, KernelContext& context) const override {
    const float* w = packed_ ? packed_.data<float>() : operands.w;
    if (operands.bias) w = with_bias(w, operands.bias, reinterpret_cast<float*>(context.scratch() + bias_offset()));
    context.executor().parallel_for(g_.batch * blocks_, [&](int64_t chunk, int worker) {
      run_block(operands, w, chunk / blocks_, chunk % blocks_ * block_pixels_, context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override {
    return bias_offset() + (depth_ > window_ ? dtype_bytes(DType::kFloat32, checked_mul(g_.out_channels, depth_)) : 0);
  }

  bool takes_channels_first() const override { return true; }
  bool gives_channels_first() const override { return true; }

  std::string describe() const override {
    return str("planes ", describe_tiles(kernels_, panels(block_pixels_), strip_rows_));
  }

 private:
  GemmPanels panels(int64_t pixels) const {
    return equal_panels(pixels, int(panel_pixels_ / kernels_.lanes), kernels_.lanes);
  }
  size_t pointer_bytes() const { return aligned(dtype_bytes(DType::kInt64, strip_rows_)); }
  /// Scratch: addresses of rows of W, a line of one tap, panels, W with the bias.
  size_t line_offset() const { return pointer_bytes(); }
  size_t panels_offset() const { return line_offset() + aligned(dtype_bytes(DType::kFloat32, block_pixels_)); }
  size_t bias_offset() const {
    return panels_offset() + aligned(dtype_bytes(DType::kFloat32, packed_size(panels(block_pixels_), 1, depth_)));
  }

  /// Returns W with the bias as an additional column, which is multiplied by a row of ones.
  const float* with_bias(const float* w, const float* bias, float* to) const {
    for (int64_t row = 0; row < g_.out_channels; ++row) {
      std::copy_n(w + row * window_, window_, to + row * depth_);
      to[row * depth_ + window_] = bias[row];
    }
    return to;
  }

  void run_block(const ConvOperands<float>& operands, const float* w, int64_t image, int64_t pixel,
                 std::byte* scratch) const {
    const int64_t pixels = std::min(block_pixels_, g_.out_pixels() - pixel);
    const GemmPanels block = panels(pixels);
    auto* b = reinterpret_cast<float*>(scratch + panels_offset());
    copy_windows(operands.x + image * g_.in_channels * g_.in_pixels(), pixel, block,
                 reinterpret_cast<float*>(scratch + line_offset()), b);
    const auto rows = reinterpret_cast<const float**>(scratch);
    GemmStrip<GemmF32> strip;
    strip.depth = depth_;
    strip.a = rows;
    strip.panels = &block;
    strip.panel_end = block.count();
    strip.b = b;
    strip.b_rows = depth_;
    strip.y_pitch = g_.out_pixels();
    strip.epilogue = epilogue_;
    Checkpoints checkpoints;
    for (int64_t row = 0; row < g_.out_channels; row += strip_rows_) {
      strip.rows = int(std::min<int64_t>(strip_rows_, g_.out_channels - row));
      for (int i = 0; i < strip.rows; ++i) rows[i] = w + (row + i) * depth_;
      strip.y = operands.y + (image * g_.out_channels + row) * g_.out_pixels() + pixel;
      kernels_.strip(strip);
      checkpoints.add(strip.rows * depth_ * block.count());
    }
  }

  /// Copies the windows of a block of pixels from `pixel` on to panels [panel][value][pixel].
  void copy_windows(const float* x, int64_t pixel, const GemmPanels& block, float* line, float* to) const {
    std::fill(line + block.columns, line + block_pixels_, 0.f);
    const auto spread = [&](int64_t value) {
      for (int64_t panel = 0; panel < block.count(); ++panel) {
        std::copy_n(line + panel * panel_pixels_, panel_pixels_, to + (panel * depth_ + value) * panel_pixels_);
      }
    };
    int64_t value = 0;
    for (int64_t c = 0; c < g_.in_channels; ++c, x += g_.in_pixels()) {
      for (int64_t tap = 0; tap < g_.taps(); ++tap) {
        copy_tap(x, tap, pixel, block.columns, line);
        spread(value++);
      }
    }
    if (depth_ == window_) return;
    std::fill_n(line, block.columns, 1.f);
    spread(value);
  }

  /// Sets line[i] to the value that the window of pixel + i has at a tap, for i < n.
  void copy_tap(const float* plane, int64_t tap, int64_t pixel, int64_t n, float* line) const {
    const auto& [depth, height, width] = g_.axes;
    const int64_t shift = tap % width.kernel * width.dilation - width.pad_begin;
    const int64_t ky = tap / width.kernel % height.kernel, kz = tap / width.kernel / height.kernel;
    for (int64_t done = 0; done < n;) {
      const int64_t row = (pixel + done) / width.out, first = (pixel + done) % width.out;
      const int64_t count = std::min(n - done, width.out - first);
      const int64_t y = row % height.out * height.stride - height.pad_begin + ky * height.dilation;
      const int64_t z = row / height.out * depth.stride - depth.pad_begin + kz * depth.dilation;
      if (y < 0 || y >= height.in || z < 0 || z >= depth.in) {
        std::fill_n(line + done, count, 0.f);
      } else {
        copy_row(plane + (z * height.in + y) * width.in, first * width.stride + shift, count, line + done);
      }
      done += count;
    }
  }

  /// Sets line[i] to the pixel of the input row at from + i * stride, or to zero outside the row.
  void copy_row(const float* row, int64_t from, int64_t n, float* line) const {
    const int64_t stride = g_.axes[2].stride, in = g_.axes[2].in;
    const int64_t before = from < 0 ? std::min(n, ceil_div(-from, stride)) : 0;
    const int64_t end = from < in ? std::clamp(ceil_div(in - from, stride), before, n) : before;
    std::fill_n(line, before, 0.f);
    for (int64_t i = before; i < end; ++i) line[i] = row[from + i * stride];
    std::fill(line + end, line + n, 0.f);
  }

  ConvGeometry g_;
  Epilogue epilogue_;
  GemmKernels<GemmF32> kernels_;
  int64_t window_, depth_, panel_pixels_, block_pixels_, blocks_;
  int strip_rows_;
  Tensor packed_;
};

}  // namespace

bool suits_plane_conv(const ConvGeometry& g, const CompileInput& in) {
  const int64_t depth = g.in_channels * g.taps();
  return g.group == 1 && depth > 0 && depth <= std::min(kMostPlaneDepth, g.out_channels) &&
         g.out_pixels() >= kLeastPlanePixels && !in.has(3) && !in.has(4);
}

ConvF32Ptr make_plane_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in) {
  return std::make_unique<PlaneConvolution>(geometry, epilogue, in);
}

}  // namespace linnet
