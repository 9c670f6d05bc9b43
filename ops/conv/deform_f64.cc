#include <cmath>
#include <limits>

#include "conv/deform_shape.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

struct Point {
  double y, x, weight;
};

/// The offsets and masks of one image.
struct Field {
  const double* offset;  // [offset_group, taps, 2, out pixels]
  const double* mask;    // [offset_group, taps, out pixels]; may be null

  /// Returns the point where tap `tap` of output pixel `pixel` samples the channels of offset group `group`.
  Point at(const DeformShape& s, int64_t group, int64_t tap, int64_t pixel) const {
    const ConvAxis &h = s.height(), &w = s.width();
    const int64_t pixels = s.conv.out_pixels(), channel = group * s.conv.taps() + tap;
    const int64_t y = pixel / w.out * h.stride - h.pad_begin + tap / w.kernel * h.dilation;
    const int64_t x = pixel % w.out * w.stride - w.pad_begin + tap % w.kernel * w.dilation;
    return {double(y) + offset[2 * channel * pixels + pixel], double(x) + offset[(2 * channel + 1) * pixels + pixel],
            mask ? mask[channel * pixels + pixel] : 1.0};
  }
};

/// Returns the bilinear sample of a plane [height, width] at a point; pixels outside it are zero.
double sample(const double* plane, int64_t height, int64_t width, const Point& p) {
  if (p.y <= -1 || p.y >= double(height) || p.x <= -1 || p.x >= double(width)) return 0;
  if (std::isnan(p.y) || std::isnan(p.x)) return std::numeric_limits<double>::quiet_NaN();
  const double top = std::floor(p.y), left = std::floor(p.x), down = p.y - top, right = p.x - left;
  const auto weighted = [&](int64_t y, int64_t x, double weight) {
    return y >= 0 && y < height && x >= 0 && x < width ? weight * plane[y * width + x] : 0.0;
  };
  const auto y = int64_t(top), x = int64_t(left);
  return weighted(y, x, (1 - down) * (1 - right)) + weighted(y, x + 1, (1 - down) * right) +
         weighted(y + 1, x, down * (1 - right)) + weighted(y + 1, x + 1, down * right);
}

class DeformF64 final : public Kernel {
 public:
  DeformF64(const DeformShape& shape, bool has_bias, bool has_mask)
      : shape_(shape), has_bias_(has_bias), has_mask_(has_mask) {}

  void run(KernelContext& context) const override {
    const ConvGeometry& g = shape_.conv;
    const int64_t cost = g.taps() * g.group_in() * g.out_channels;
    parallel_items(context.executor(), g.batch * g.out_pixels(), cost, [&](int64_t item, int64_t end, int worker) {
      Checkpoints checkpoints;
      auto* column = reinterpret_cast<double*>(context.scratch(worker));
      for (; item < end; ++item) {
        for (int64_t group = 0; group < g.group; ++group) {
          sample_window(context, item, group, column, checkpoints);
          multiply(context, item, group, column, checkpoints);
        }
      }
    });
  }

  size_t scratch_bytes() const override {
    return dtype_bytes(DType::kFloat64, checked_mul(shape_.conv.taps(), shape_.conv.group_in()));
  }

 private:
  static constexpr int64_t kSampleWork = 16;

  /// column: [channels of the group, taps], in the order of an output channel's weights.
  void sample_window(KernelContext& context, int64_t item, int64_t group, double* column,
                     Checkpoints& checkpoints) const {
    const ConvGeometry& g = shape_.conv;
    const int64_t n = item / g.out_pixels(), pixel = item % g.out_pixels();
    const int64_t mask_image = shape_.mask_channels() * g.out_pixels();
    const Field field{context.input(kDeformOffset).data<double>() + n * 2 * mask_image,
                      has_mask_ ? context.input(kDeformMask).data<double>() + n * mask_image : nullptr};
    const double* image = context.input(kDeformX).data<double>() + n * g.in_channels * g.in_pixels();
    for (int64_t c = group * g.group_in(); c < (group + 1) * g.group_in(); ++c) {
      for (int64_t t = 0; t < g.taps(); ++t) {
        const Point point = field.at(shape_, c / shape_.channels_per_offset_group(), t, pixel);
        const double* plane = image + c * g.in_pixels();
        *column++ = point.weight * sample(plane, shape_.height().in, shape_.width().in, point);
      }
      checkpoints.add(kSampleWork * g.taps());
    }
  }

  void multiply(KernelContext& context, int64_t item, int64_t group, const double* column,
                Checkpoints& checkpoints) const {
    const ConvGeometry& g = shape_.conv;
    const int64_t n = item / g.out_pixels(), pixel = item % g.out_pixels(), depth = g.taps() * g.group_in();
    for (int64_t o = group * g.group_out(); o < (group + 1) * g.group_out(); ++o) {
      const double* w = context.input(kDeformW).data<double>() + o * depth;
      double sum = has_bias_ ? context.input(kDeformBias).data<double>()[o] : 0;
      for (int64_t k = 0; k < depth; ++k) sum += w[k] * column[k];
      checkpoints.add(depth);
      context.output(0).data<double>()[(n * g.out_channels + o) * g.out_pixels() + pixel] = sum;
    }
  }

  DeformShape shape_;
  bool has_bias_, has_mask_;
};

}  // namespace

KernelPtr make_deform_f64(const DeformShape& shape, const CompileInput& in) {
  return std::make_unique<DeformF64>(shape, in.has(kDeformBias), in.has(kDeformMask));
}

}  // namespace linnet
