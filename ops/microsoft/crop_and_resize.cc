#include <cmath>

#include "elements/axis_index.h"
#include "elements/dispatch.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// The elements of one axis of the image that a row or column of a crop reads: `low` and `high`, interpolated by
/// `part`. Nothing is read outside of the image.
template <class T>
struct CropTap {
  int64_t low = 0, high = 0;
  T part = 0;
  bool inside = false;
};

template <class T>
class CropAndResizeKernel final : public Kernel {
 public:
  CropAndResizeKernel(const CompileInput& in, bool nearest, float outside)
      : x_(in.shape(0)), y_(in.output_shape(0)), nearest_(nearest), outside_(T(outside)) {}

  void run(KernelContext& context) const override {
    check(context.input(2));
    const T* regions = context.input(1).data<T>();
    const int32_t* images = context.input(2).data<int32_t>();
    const int64_t height = y_[2];
    parallel_items(context.executor(), checked_mul(y_[0], height), checked_mul(y_[1], y_[3]),
                   [&](int64_t line, int64_t end, int) {
                     Checkpoints checkpoints;
                     for (; line < end; ++line) {
                       const int64_t region = line / height, row = line % height;
                       crop_line(context, regions + region * 4, images[region], region, row, checkpoints);
                     }
                   });
  }

 private:
  static constexpr int64_t kTapWork = 8;

  void check(const Tensor& images) const {
    for (const int32_t image : images.values<int32_t>()) {
      if (image >= 0 && image < x_[0]) continue;
      throw Error(ErrorKind::kShape, str("batch_indices must be in [0,", x_[0], "), got ", image));
    }
  }

  /// The tap of point i of `points` on an axis of `size` elements, of which the region covers the fractions [from, to].
  CropTap<T> tap(T from, T to, int64_t i, int64_t points, int64_t size) const {
    const T last = T(size - 1);
    const T at = points > 1 ? from * last + T(i) * ((to - from) * last / T(points - 1)) : T(0.5) * (from + to) * last;
    if (!(at >= 0 && at <= last)) return {};
    const T low = nearest_ ? std::round(at) : std::floor(at), high = nearest_ ? low : std::ceil(at);
    return {axis_index(low, size), axis_index(high, size), nearest_ ? T(0) : at - low, true};
  }

  void crop_line(KernelContext& context, const T* region, int64_t image, int64_t crop, int64_t row,
                 Checkpoints& checkpoints) const {
    const int64_t height = x_[2], width = x_[3], plane = height * width, columns = y_[3], pixels = y_[2] * columns;
    const T* x = context.input(0).data<T>() + image * x_[1] * plane;
    T* y = context.output(0).data<T>() + crop * y_[1] * pixels + row * columns;
    const CropTap<T> v = tap(region[0], region[2], row, y_[2], height);
    for (int64_t column = 0; column < columns; ++column) {
      const CropTap<T> h = tap(region[1], region[3], column, columns, width);
      for (int64_t c = 0; c < y_[1]; ++c) {
        y[c * pixels + column] = v.inside && h.inside ? blend(x + c * plane, width, v, h) : outside_;
      }
      checkpoints.add(kTapWork * (1 + y_[1]));
    }
  }

  static T blend(const T* x, int64_t width, const CropTap<T>& v, const CropTap<T>& h) {
    const T *top = x + v.low * width, *bottom = x + v.high * width;
    const T upper = top[h.low] + (top[h.high] - top[h.low]) * h.part;
    const T lower = bottom[h.low] + (bottom[h.high] - bottom[h.low]) * h.part;
    return upper + (lower - upper) * v.part;
  }

  Shape x_, y_;
  bool nearest_;
  T outside_;
};

/// CropAndResize: crops regions of images and resizes them to one size.
/// - mode: bilinear (default) or nearest
/// - extrapolation_value (0): the value of points outside of the image
/// - X: float types [N, C, H, W]
/// - rois: X's dtype [R, 4], (y1, x1, y2, x2) in fractions of H - 1 and W - 1
/// - batch_indices: int32 [R]; crop_size: int32 [2], height and width
/// - Y: [R, C, height, width]
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.CropAndResize
class CropAndResize final : public Op {
 public:
  explicit CropAndResize(const NodeSpec& node) : outside_(node.attr_or("extrapolation_value", 0.f)) {
    const std::string mode = node.attr_or("mode", "bilinear");
    if (mode != "bilinear" && mode != "nearest") {
      throw Error(ErrorKind::kModel, str("mode must be 'bilinear' or 'nearest', got '", mode, "'"));
    }
    nearest_ = mode == "nearest";
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 4, 4);
    require_floating(in[0], "X");
    require_same_dtype(in[0], in[1], "X and rois");
    require_dtype(in[2], DType::kInt32, "batch_indices");
    require_dtype(in[3], DType::kInt32, "crop_size");
    require_rank(in[0], 4, "X");
    require_rank(in[1], 2, "rois");
    require_rank(in[2], 1, "batch_indices");
    require_rank(in[3], 1, "crop_size");
    if (in[1].has_rank()) merge_dim(in[1].dim(1), 4, "the last dim of rois and the numbers of a region");
    Dims dims(4);
    if (in[2].has_rank()) dims[0] = in[2].dim(0);
    if (in[1].has_rank()) dims[0] = merge_dim(dims[0], in[1].dim(0), "rois and batch_indices");
    if (in[0].has_rank()) dims[1] = in[0].dim(1);
    if (const auto size = determined_ints(in[3])) {
      const auto fits = [](const Dim& dim) { return !dim.known() || dim.value() >= 1; };
      if (size->size() != 2 || !fits(size->front()) || !fits(size->back())) {
        throw Error(ErrorKind::kShape, "crop_size must be two positive numbers");
      }
      dims[2] = size->front();
      dims[3] = size->back();
    }
    return {Fact(in[0].dtype, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<CropAndResizeKernel<T>>(in, nearest_, outside_);
    });
  }
  std::vector<int> value_inputs() const override { return {3}; }

 private:
  bool nearest_ = false;
  float outside_;
};

}  // namespace

LINNET_REGISTER(crop_and_resize)(Registry& registry) {
  registry.add<CropAndResize>("CropAndResize", {.since = 1, .domain = kMicrosoft});
}

}  // namespace linnet
