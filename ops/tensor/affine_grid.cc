#include <array>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "op_list.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

template <class T>
class AffineGridKernel final : public Kernel {
 public:
  /// y: [N, D?, H, W, axes].
  AffineGridKernel(const Shape& y, bool align_corners) : axes_(y[y.rank() - 1]), align_corners_(align_corners) {
    for (int64_t i = 0; i < axes_; ++i) sizes_[size_t(i)] = y[int(axes_ - i)];
  }

  void run(KernelContext& context) const override {
    const T* theta = context.input(0).data<T>();
    Tensor& y = context.output(0);
    T* to = y.data<T>();
    const int64_t rows = sizes_[2] * sizes_[1], width = sizes_[0];
    parallel_items(context.executor(), y.dim(0) * rows, 4 * width, [&](int64_t begin, int64_t end, int) {
      for (int64_t row = begin; row < end; ++row) {
        const std::array<double, 2> outer{coordinate(row % sizes_[1], sizes_[1]),
                                          coordinate(row / sizes_[1] % sizes_[2], sizes_[2])};
        for (int64_t x = 0; x < width; ++x) {
          transform(theta + row / rows * axes_ * (axes_ + 1), {coordinate(x, width), outer[0], outer[1]},
                    to + (row * width + x) * axes_);
        }
      }
    });
  }

 private:
  /// Position i of n on an axis that reaches from -1 to 1.
  double coordinate(int64_t i, int64_t n) const {
    if (!align_corners_) return (2 * double(i) + 1) / double(n) - 1;
    return n == 1 ? 0 : 2 * double(i) / double(n - 1) - 1;
  }

  void transform(const T* theta, const std::array<double, 3>& point, T* y) const {
    for (int64_t i = 0; i < axes_; ++i, theta += axes_ + 1) {
      double sum = double(theta[axes_]);
      for (int64_t k = 0; k < axes_; ++k) sum += double(theta[k]) * point[size_t(k)];
      y[i] = T(sum);
    }
  }

  int64_t axes_;
  bool align_corners_;
  std::array<int64_t, 3> sizes_{1, 1, 1};  // width, height, depth
};

/// AffineGrid: the coordinates (x, y[, z]) in [-1, 1] that an affine map gives for each pixel of an image, as
/// GridSample takes them; computed in double. -1 and 1 are the outer edges of the image or, with align_corners, the
/// centres of the outermost pixels (of a single one: 0). theta: float types [N, 2, 3] or [N, 3, 4].   size: int64 [4] =
/// (N, C, H, W) or [5] = (N, C, D, H, W). grid: theta's dtype [N, H, W, 2] or [N, D, H, W, 3]. Source:
/// https://onnx.ai/onnx/operators/onnx__AffineGrid.html
class AffineGrid final : public Op {
 public:
  explicit AffineGrid(const NodeSpec& node) : align_corners_(node.attr_or("align_corners", false)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_floating(in[0], "theta");
    require_rank(in[0], 3, "theta");
    require_dtype(in[1], DType::kInt64, "size");
    const auto size = constant_ints(in[1]);
    if (!size) return {Fact(in[0].dtype, std::nullopt)};
    const auto axes = int64_t(size->size()) - 2;
    if (axes != 2 && axes != 3) {
      throw Error(ErrorKind::kShape, str("size must have 4 or 5 values, got ", size->size()));
    }
    for (const int64_t dim : *size) {
      if (dim < 0) throw Error(ErrorKind::kShape, str("size must not be negative, got ", dim));
    }
    Dims dims{(*size)[0]};
    if (in[0].has_rank()) {
      merge_dim(in[0].dim(0), (*size)[0], "the batch of theta and size");
      merge_dim(in[0].dim(1), axes, "the rows of theta and the axes of size");
      merge_dim(in[0].dim(2), axes + 1, "the columns of theta and the axes of size");
    }
    dims.insert(dims.end(), size->begin() + 2, size->end());
    dims.emplace_back(axes);
    return {Fact(in[0].dtype, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<AffineGridKernel<T>>(in.output_shape(0), align_corners_);
    });
  }

  std::vector<int> value_inputs() const override { return {1}; }

 private:
  bool align_corners_;
};

}  // namespace

void register_affine_grid(Registry& registry) { registry.add<AffineGrid>("AffineGrid", {.since = 20}); }

}  // namespace linnet
