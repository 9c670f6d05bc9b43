#include <algorithm>

#include "conv/conv_algorithm.h"
#include "conv/plane_weights.h"
#include "gemm/accuracy.h"
#include "gemm/bfloat16_pairs.h"
#include "gemm/panels.h"
#include "kernels/kernels_for.h"
#include "kernels/plane_product.h"
#include "partition/checkpoints.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

// Bounds of the number of pixels whose windows are copied and multiplied at a time. Rows of y are written faster the
// longer they are, so a block fills about half of a second-level cache. There must also be enough blocks for all
// threads.
constexpr int64_t kLeastBlockPixels = 512, kBlockValues = int64_t{40} << 10, kBlocksPerWorker = 4;
constexpr int64_t kCallMultiplies = int64_t{16}
                                    << 20;  // about the most multiplications without a check of the deadline
constexpr int64_t kConflictFloats = 512;    // planes at multiples of it share few sets of the first-level cache

int64_t copied_pixels(const ConvGeometry& g, int64_t depth, int64_t panel, int workers) {
  const int64_t share = checked_mul(g.batch, g.out_pixels()) / kBlocksPerWorker / workers;
  const int64_t pixels = std::max(kLeastBlockPixels, std::min(kBlockValues / depth, share));
  return pixels - pixels % panel;
}

/// The pixels of a chunk where windows are single pixels, which are not copied.
int64_t chunk_pixels(const ConvGeometry& g, int64_t depth, int64_t panel) {
  const int64_t panel_multiplies = checked_mul(checked_mul(panel, depth), g.out_channels);
  return checked_mul(panel, std::max<int64_t>(1, kProductChunkMultiplies / panel_multiplies));
}

/// y = W * X, where W is [out channels, values of a window] and X is [values of a window, pixels], so that x and y stay
/// channels-first. A chunk of work is a block of pixels. Its windows are copied unless they are single pixels.
class PlaneConvolution final : public ConvAlgorithm<float> {
 public:
  PlaneConvolution(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in)
      : g_(geometry),
        epilogue_(epilogue),
        kernels_(kernels_for<PlaneProductKernels>(in.isa())),
        pointwise_(geometry.pointwise()),
        depth_(checked_mul(g_.in_channels, g_.taps())),
        tiles_(g_.out_channels, kernels_.tile_rows),
        block_pixels_(pointwise_ ? chunk_pixels(g_, depth_, kernels_.panel_pixels)
                                 : copied_pixels(g_, depth_, kernels_.panel_pixels, in.executor().workers())),
        blocks_(ceil_div(g_.out_pixels(), block_pixels_)),
        packed_(packed_plane_tiles(g_, tiles_, in)) {}

  void run(const ConvOperands<float>& operands, KernelContext& context) const override {
    const float* w = packed_.data<float>();
    if (!packed_) {
      auto* packed = reinterpret_cast<float*>(context.scratch() + weights_offset());
      pack_plane_tiles(operands.w, tiles_, depth_, packed);
      w = packed;
    }
    context.executor().parallel_for(g_.batch * blocks_, [&](int64_t chunk, int worker) {
      run_block(operands, w, chunk / blocks_, chunk % blocks_ * block_pixels_, context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override {
    return weights_offset() + (packed_ ? 0 : dtype_bytes(DType::kFloat32, checked_mul(g_.out_channels, depth_)));
  }

  bool takes_channels_first() const override { return true; }
  bool gives_channels_first() const override { return true; }

  std::string describe() const override { return str("planes ", kernels_.tile_rows, "x", kernels_.panel_pixels); }

 private:
  /// Scratch: a panel, copies of windows, W in tiles.
  size_t windows_offset() const {
    return aligned(dtype_bytes(DType::kFloat32, checked_mul(kernels_.panel_pixels, depth_)));
  }
  size_t weights_offset() const {
    return windows_offset() +
           (pointwise_ ? 0 : aligned(dtype_bytes(DType::kFloat32, checked_mul(block_pixels_, depth_))));
  }

  void run_block(const ConvOperands<float>& operands, const float* w, int64_t image, int64_t pixel,
                 std::byte* scratch) const {
    PlaneProduct product;
    product.rows = g_.out_channels;
    product.depth = depth_;
    product.pixels = std::min(block_pixels_, g_.out_pixels() - pixel);
    product.w = w;
    product.bias = operands.bias;
    product.y = operands.y + image * g_.out_channels * g_.out_pixels() + pixel;
    product.y_pitch = g_.out_pixels();
    product.low = epilogue_.low;
    product.high = epilogue_.high;
    product.panel = reinterpret_cast<float*>(scratch);
    const float* x = operands.x + image * g_.in_channels * g_.in_pixels();
    if (pointwise_) return multiply_pixels(product, x + pixel);
    auto* windows = reinterpret_cast<float*>(scratch + windows_offset());
    copy_windows(x, pixel, product.pixels, windows);
    product.x = windows;
    product.x_pitch = block_pixels_;
    multiply(product, 1);
  }

  void multiply_pixels(PlaneProduct& product, const float* x) const {
    product.x = x;
    product.x_pitch = g_.in_pixels();
    product.copies = g_.in_pixels() % kConflictFloats == 0 && tiles_.count > 1;
    const int64_t tile_multiplies = checked_mul(block_pixels_ * kernels_.tile_rows, depth_);
    multiply(product, std::max<int64_t>(1, kCallMultiplies / tile_multiplies));
  }

  /// Computes all rows, so many tiles at a time.
  void multiply(PlaneProduct& product, int64_t step) const {
    Checkpoints checkpoints;
    for (product.tile = 0; product.tile < tiles_.count; product.tile = product.tile_end) {
      product.tile_end = std::min(tiles_.count, product.tile + step);
      kernels_.multiply(product);
      const int64_t row = tiles_.begin(product.tile), end = tiles_.begin(product.tile_end);
      checkpoints.add((end - row) * depth_ * product.pixels / kernels_.panel_pixels);
      if (!epilogue_.activation) continue;
      for (int64_t i = row; i < end; ++i) {
        float* y = product.y + i * product.y_pitch;
        epilogue_.activation(y, y, product.pixels, epilogue_.alpha, epilogue_.beta);
      }
    }
  }

  /// Copies the windows of n pixels from `pixel` on to planes [value][block_pixels_].
  void copy_windows(const float* x, int64_t pixel, int64_t n, float* to) const {
    for (int64_t c = 0; c < g_.in_channels; ++c, x += g_.in_pixels()) {
      for (int64_t tap = 0; tap < g_.taps(); ++tap, to += block_pixels_) copy_tap(x, tap, pixel, n, to);
    }
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
  PlaneProductKernels kernels_;
  bool pointwise_;
  int64_t depth_;
  PlaneTiles tiles_;
  int64_t block_pixels_, blocks_;
  Tensor packed_;
};

}  // namespace

bool suits_plane_conv(const ConvGeometry& g, const CompileInput& in) {
  const int64_t depth = g.in_channels * g.taps();
  if (g.group != 1 || depth <= 0 || g.out_channels <= 0 || in.has(3) || in.has(4)) return false;
  const bool exact = !multiplies_bfloat16(in) && pays_to_widen(in.dtype(1), depth, g.out_channels, g.out_pixels());
  if (g.pointwise() && exact && depth <= kLongestSum && g.out_pixels() >= kLeastPointwisePixels) return true;
  return depth <= std::min(kMostPlaneDepth, g.out_channels) && g.out_pixels() >= kLeastPlanePixels;
}

ConvF32Ptr make_plane_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in) {
  return std::make_unique<PlaneConvolution>(geometry, epilogue, in);
}

}  // namespace linnet
