#include "grid/grid_kernels.h"

#include "elements/dispatch.h"
#include "kernels/kernels_for.h"
#include "kernels/sample.h"
#include "kernels/transpose.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"

namespace linnet {
namespace {

constexpr int64_t kBlock = kMostGridPoints;

/// The base of GridSample's kernels for blocks of points.
class GridBlockKernel : public Kernel {
 public:
  GridBlockKernel(const GridSettings& settings, const CompileInput& in)
      : channels_(in.shape(0)[1]),
        plane_(in.shape(0).elements(2, in.shape(0).rank())),
        images_(in.output_shape(0)[0]),
        pixels_(in.output_shape(0).elements(2, in.shape(0).rank())),
        sample_(kernels_for<SampleKernels>(in.isa())),
        transpose_(kernels_for<TransposeKernels>(in.isa())),
        table_(settings, in.shape(0), in.dtype(1), sample_) {}

  size_t scratch_bytes() const override { return table_.bytes(); }

 protected:
  /// The taps of a block of points of an image.
  struct Taps {
    const int32_t* offsets;
    const float* weights;
    int64_t count;  ///< of points
  };

  Taps taps(KernelContext& context, int64_t image, int64_t first, std::byte* scratch) const {
    auto* offsets = reinterpret_cast<int32_t*>(scratch);
    auto* weights = reinterpret_cast<float*>(offsets + table_.taps() * kBlock);
    const int64_t count = std::min(kBlock, pixels_ - first);
    table_.find(context.input(1), checked_mul(image, pixels_) + first, count, offsets, weights);
    return {offsets, weights, count};
  }

  /// Calls f(image, first point, worker, checkpoints) for blocks of points, in parallel.
  template <class F>
  void for_blocks(KernelContext& context, const F& f) const {
    const int64_t blocks = ceil_div(pixels_, kBlock), work = kBlock * channels_ * table_.taps();
    parallel_items(context.executor(), images_ * blocks, work, [&](int64_t b, int64_t end, int worker) {
      Checkpoints checkpoints;
      for (; b < end; ++b) f(b / blocks, b % blocks * kBlock, worker, checkpoints);
    });
  }

  int64_t channels_, plane_, images_, pixels_;
  const SampleKernels& sample_;
  const TransposeKernels& transpose_;
  GridTable table_;
};

/// Samples channels separately; the taps of a block of points are computed once for all channels.
class GridBlendKernel final : public GridBlockKernel {
 public:
  using GridBlockKernel::GridBlockKernel;

  void run(KernelContext& context) const override {
    for_blocks(context, [&](int64_t n, int64_t first, int worker, Checkpoints& checkpoints) {
      const Taps t = taps(context, n, first, context.scratch(worker));
      const float* x = context.input(0).data<float>() + n * channels_ * plane_;
      float* y = context.output(0).data<float>() + n * channels_ * pixels_ + first;
      for (int64_t c = 0; c < channels_; ++c) {
        sample_.weighted(x + c * plane_, t.offsets, t.weights, table_.taps(), kBlock, t.count, y + c * pixels_);
        checkpoints.add(table_.taps() * t.count);
      }
    });
  }
};

/// Transposes kPixelChannels channels of an image first, so that a tap reads them together. Computes the same sums in
/// the same order as GridBlendKernel.
class GridPixelsKernel final : public GridBlockKernel {
 public:
  using GridBlockKernel::GridBlockKernel;

  /// Whether the transposition pays off. Estimates costs in nanoseconds: a tap of one channel, a tap of kPixelChannels
  /// channels, and moving an element.
  bool pays(int workers) const {
    constexpr double kTap = 0.8, kTaps = 1.8, kMove = 0.25;
    const double blocks = double(ceil_div(channels_, kPixelChannels)), taps = double(pixels_) * double(table_.taps());
    const double alone = double(channels_) * taps * kTap / workers;
    const double together = blocks * taps * kTaps + double(channels_) * double(pixels_ + plane_) * kMove;
    return together / std::min(double(workers), blocks * double(images_)) < alone;
  }

  size_t scratch_bytes() const override {
    return table_.bytes() + dtype_bytes(DType::kFloat32, checked_mul(checked_add(plane_, kBlock), kPixelChannels));
  }

  void run(KernelContext& context) const override {
    const int64_t blocks = ceil_div(channels_, kPixelChannels);
    context.executor().parallel_for(images_ * blocks, [&](int64_t i, int worker) {
      const int64_t channel = i % blocks * kPixelChannels;
      sample(context, i / blocks, channel, std::min(kPixelChannels, channels_ - channel), context.scratch(worker));
    });
  }

 private:
  void sample(KernelContext& context, int64_t n, int64_t channel, int64_t channels, std::byte* scratch) const {
    auto* image = reinterpret_cast<float*>(scratch);
    float* block = image + plane_ * kPixelChannels;
    auto* table = reinterpret_cast<std::byte*>(block + kBlock * kPixelChannels);
    Checkpoints checkpoints;
    const int64_t first_plane = n * channels_ + channel;
    transpose(context.input(0).data<float>() + first_plane * plane_, channels, image, checkpoints);
    float* y = context.output(0).data<float>() + first_plane * pixels_;
    for (int64_t first = 0; first < pixels_; first += kBlock) {
      const Taps t = taps(context, n, first, table);
      sample_.weighted_pixels(image, t.offsets, t.weights, table_.taps(), kBlock, t.count, block);
      transpose_.bits32(block, t.count, channels, kPixelChannels, y + first, pixels_);
      checkpoints.add(t.count * (table_.taps() + kPixelChannels));
    }
  }

  void transpose(const float* x, int64_t channels, float* image, Checkpoints& checkpoints) const {
    if (channels < kPixelChannels) std::fill_n(image, plane_ * kPixelChannels, 0.0f);
    checkpoints.in_parts(plane_, channels, [&](int64_t begin, int64_t end) {
      transpose_.bits32(x + begin, channels, end - begin, plane_, image + begin * kPixelChannels, kPixelChannels);
    });
  }
};

template <class T>
class GridPickKernel final : public GridBlockKernel {
 public:
  using GridBlockKernel::GridBlockKernel;

  void run(KernelContext& context) const override {
    for_blocks(context, [&](int64_t n, int64_t first, int worker, Checkpoints& checkpoints) {
      const Taps t = taps(context, n, first, context.scratch(worker));
      const T* x = static_cast<const T*>(context.input(0).raw()) + n * channels_ * plane_;
      T* y = static_cast<T*>(context.output(0).raw()) + n * channels_ * pixels_ + first;
      for (int64_t c = 0; c < channels_; ++c, x += plane_, y += pixels_) {
        for (int64_t i = 0; i < t.count; ++i) y[i] = t.offsets[i] < 0 ? T{} : x[t.offsets[i]];
        checkpoints.add(t.count);
      }
    });
  }
};

}  // namespace

KernelPtr make_grid_blend(const GridSettings& settings, const CompileInput& in) {
  auto pixels = std::make_unique<GridPixelsKernel>(settings, in);
  if (pixels->pays(in.executor().workers())) return pixels;
  return std::make_unique<GridBlendKernel>(settings, in);
}

KernelPtr make_grid_pick(const GridSettings& settings, const CompileInput& in) {
  return dispatch_width(in.dtype(0),
                        [&]<class T>() -> KernelPtr { return std::make_unique<GridPickKernel<T>>(settings, in); });
}

}  // namespace linnet
