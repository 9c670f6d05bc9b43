#include <algorithm>
#include <array>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

template <class T>
class AffineGridKernel final : public Kernel {
 public:
  /// y: [N, D?, H, W, axes].
  AffineGridKernel(const Shape& y, bool align_corners)
      : axes_(y[y.rank() - 1]),
        row_(checked_mul(y[y.rank() - 2], axes_)),
        columns_(DType::kFloat64, Shape{y.elements() > 0 ? checked_mul(ceil_div(row_, kBlock), kBlock) : 0}) {
    for (int64_t i = 0; i < axes_; ++i) axes_of_[size_t(i)] = {y[int(axes_ - i)], align_corners};
    for (int64_t i = 0; i < columns_.size(); ++i) columns_.data<double>()[i] = axes_of_[0].coordinate(i / axes_);
  }

  void run(KernelContext& context) const override {
    const T* theta = context.input(0).data<T>();
    Tensor& y = context.output(0);
    T* to = y.data<T>();
    const int64_t height = axes_of_[1].size, depth = axes_of_[2].size, rows = depth * height;
    parallel_items(context.executor(), y.dim(0) * rows, row_, [&](int64_t row, int64_t end, int) {
      int64_t v = row % height, w = row / height % depth, n = row / rows;
      for (; row < end; ++row) {
        const double outer[] = {axes_of_[1].coordinate(v), axes_of_[2].coordinate(w)};
        write_row(line(theta + n * axes_ * (axes_ + 1), outer), to + row * row_);
        if (++v < height) continue;
        v = 0;
        if (++w < depth) continue;
        w = 0;
        ++n;
      }
    });
  }

 private:
  struct Axis {
    int64_t size = 1;
    bool align_corners = false;

    /// The coordinate of position i on an axis from -1 to 1.
    double coordinate(int64_t i) const {
      if (!align_corners) return (2 * double(i) + 1) / double(size) - 1;
      return size == 1 ? 0 : 2 * double(i) / double(size - 1) - 1;
    }
  };

  /// The number of elements of a row that are computed together: whole points of 2 or 3 axes.
  static constexpr int64_t kBlock = 24;

  /// A row as begin + step * x, for each element of a block.
  struct Line {
    double begin[kBlock], step[kBlock];
  };

  /// outer: the coordinates along all axes but the first.
  Line line(const T* theta, const double* outer) const {
    Line line;
    for (int64_t axis = 0; axis < axes_; ++axis, theta += axes_ + 1) {
      double begin = double(theta[axes_]);
      for (int64_t k = 1; k < axes_; ++k) begin += double(theta[k]) * outer[k - 1];
      for (int64_t i = axis; i < kBlock; i += axes_) {
        line.begin[i] = begin;
        line.step[i] = double(theta[0]);
      }
    }
    return line;
  }

  void write_row(const Line& line, T* y) const {
    const double* x = columns_.data<double>();
    int64_t first = 0;
    for (; first + kBlock <= row_; first += kBlock) write_block(line, x + first, y + first);
    if (first == row_) return;
    T last[kBlock];
    write_block(line, x + first, last);
    std::copy_n(last, row_ - first, y + first);
  }

  static void write_block(const Line& line, const double* x, T* y) {
    for (int64_t i = 0; i < kBlock; ++i) y[i] = T(line.begin[i] + line.step[i] * x[i]);
  }

  int64_t axes_, row_;           ///< row_: the number of elements of a row
  std::array<Axis, 3> axes_of_;  ///< width, height, depth
  Tensor columns_;               ///< float64, the coordinate along the width of each element of a row
};

/// AffineGrid: the coordinates (x, y[, z]) in [-1, 1] to which an affine map moves each pixel of an image, in the form
/// of GridSample's grid. Computes in double. -1 and 1 are the outer edges of the image or, with align_corners, the
/// centres of the outermost pixels (0 for a single pixel).
/// - theta: float types [N, 2, 3] or [N, 3, 4]
/// - size: int64 [4] = (N, C, H, W) or [5] = (N, C, D, H, W)
/// - grid: theta's dtype [N, H, W, 2] or [N, D, H, W, 3]
/// Source: https://onnx.ai/onnx/operators/onnx__AffineGrid.html
class AffineGrid final : public Op {
 public:
  explicit AffineGrid(const NodeSpec& node) : align_corners_(node.attr_or("align_corners", false)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_floating(in[0], "theta");
    require_rank(in[0], 3, "theta");
    require_dtype(in[1], DType::kInt64, "size");
    const auto size = determined_ints(in[1]);
    if (!size) return {Fact(in[0].dtype, std::nullopt)};
    const auto axes = int64_t(size->size()) - 2;
    if (axes != 2 && axes != 3) {
      throw Error(ErrorKind::kShape, str("size must have 4 or 5 values, got ", size->size()));
    }
    for (const Dim& dim : *size) {
      if (dim.known() && dim.value() < 0) throw Error(ErrorKind::kShape, str("size must not be negative, got ", dim));
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

LINNET_REGISTER(affine_grid)(Registry& registry) { registry.add<AffineGrid>("AffineGrid", {.since = 20}); }

}  // namespace linnet
