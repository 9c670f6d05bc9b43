#include <algorithm>
#include <array>

#include "elements/dispatch.h"
#include "elements/wrapping_arithmetic.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/reduce.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

/// One spatial axis: position `block * stride + k * dilation - pad` of the image belongs to element k of a block.
struct BlockAxis {
  int64_t image = 1, block = 1, stride = 1, dilation = 1, pad = 0, pad_end = 0, count = 1;
  int64_t next_pixels = 1, next_blocks = 1;  ///< products over all following axes
};

/// Integers wrap; bools are combined with or.
template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a | b;
  else if constexpr (std::is_integral_v<T>)
    return wrapping_add(a, b);
  else
    return a + b;
}

template <class T>
class Col2ImKernel final : public Kernel {
 public:
  Col2ImKernel(std::vector<BlockAxis> axes, int64_t planes, decltype(ReduceKernels::add_rows) add_rows)
      : axes_(std::move(axes)), planes_(planes), add_rows_(add_rows) {
    for (size_t i = axes_.size(); i-- > 0;) {
      BlockAxis& axis = axes_[i];
      axis.next_pixels = pixels_;
      axis.next_blocks = blocks_;
      pixels_ = checked_mul(pixels_, axis.image);
      taps_ = checked_mul(taps_, axis.block);
      blocks_ = checked_mul(blocks_, axis.count);
    }
  }

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    const int64_t elements = checked_add(checked_mul(taps_, blocks_), pixels_);
    parallel_items(context.executor(), planes_, elements, [&](int64_t begin, int64_t end, int) {
      Checkpoints checkpoints;
      for (int64_t plane = begin; plane < end; ++plane) {
        T* image = y + plane * pixels_;
        std::fill_n(image, pixels_, T());
        for (int64_t tap = 0; tap < taps_; ++tap) {
          add_blocks(0, reaches(tap).data(), x + (plane * taps_ + tap) * blocks_, image, checkpoints);
        }
      }
    });
  }

 private:
  /// The blocks [first, end) that have an element inside the image along an axis. shift: the element's position in
  /// block 0.
  struct Reach {
    int64_t first, end, shift;
  };

  /// Returns the reach of element `tap` of the blocks along each axis.
  std::array<Reach, kMaxRank> reaches(int64_t tap) const {
    std::array<Reach, kMaxRank> result;
    for (size_t i = axes_.size(); i-- > 0; tap /= axes_[i].block) {
      const BlockAxis& axis = axes_[i];
      const int64_t shift = checked_mul(tap % axis.block, axis.dilation) - axis.pad;
      result[i] = {shift < 0 ? ceil_div(-shift, axis.stride) : 0,
                   shift < axis.image ? std::min(axis.count, ceil_div(axis.image - shift, axis.stride)) : 0, shift};
    }
    return result;
  }

  /// Adds an element of each block along the axes from `axis` on to the part of an image that these axes span.
  void add_blocks(size_t axis, const Reach* reach, const T* x, T* y, Checkpoints& checkpoints) const {
    const BlockAxis& a = axes_[axis];
    const auto [first, end, shift] = reach[axis];
    if (axis + 1 == axes_.size()) {
      const Reach one{0, 1, 0};
      return add_lines(BlockAxis(), one, a, reach[axis], x, y, checkpoints);
    }
    if (axis + 2 == axes_.size()) {
      return add_lines(a, reach[axis], axes_[axis + 1], reach[axis + 1], x, y, checkpoints);
    }
    for (int64_t i = first; i < end; ++i) {
      add_blocks(axis + 1, reach, x + i * a.next_blocks, y + (i * a.stride + shift) * a.next_pixels, checkpoints);
    }
  }

  /// The same for the last two axes: adds lines along the last axis.
  void add_lines(const BlockAxis& line, const Reach& lines, const BlockAxis& a, const Reach& reach, const T* x, T* y,
                 Checkpoints& checkpoints) const {
    const int64_t n = reach.end - reach.first, x_pitch = line.next_blocks;
    const std::ptrdiff_t y_pitch = line.stride * line.next_pixels;
    if (n <= 0) return;
    x += lines.first * x_pitch + reach.first;
    y += lines.first * y_pitch + lines.shift * line.next_pixels + reach.first * a.stride + reach.shift;
    checkpoints.in_parts(lines.end - lines.first, n + 16, [&](int64_t begin, int64_t end) {
      if constexpr (std::is_same_v<T, float>) {
        if (a.stride == 1) return add_rows_(x + begin * x_pitch, x_pitch, y + begin * y_pitch, y_pitch, end - begin, n);
      }
      for (int64_t i = begin; i < end; ++i) add_line(x + i * x_pitch, n, a.stride, y + i * y_pitch);
    });
  }

  static void add_line(const T* __restrict x, int64_t n, int64_t stride, T* __restrict y) {
    if (stride == 1) {
      for (int64_t i = 0; i < n; ++i) y[i] = sum_of(y[i], x[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) y[i * stride] = sum_of(y[i * stride], x[i]);
    }
  }

  std::vector<BlockAxis> axes_;
  int64_t planes_, pixels_ = 1, taps_ = 1, blocks_ = 1;
  decltype(ReduceKernels::add_rows) add_rows_;
};

template <class F>
KernelPtr dispatch_sum(DType dtype, F&& f) {
  if (dtype == DType::kBool) return f.template operator()<bool>();
  if (dtype == DType::kComplex64) return f.template operator()<std::complex<float>>();
  if (dtype == DType::kComplex128) return f.template operator()<std::complex<double>>();
  return dispatch_number(dtype, f);
}

/// Col2Im: the image whose blocks (sliding windows) are the columns of the input. Where blocks overlap, they are added
/// (bool: or).
/// input: numbers, bool or complex [N, C * elements of a block, blocks]. image_shape, block_shape: int64 [axes], at
/// least one axis. Attributes: strides (1), dilations (1), pads (0). output: [N, C, image_shape...].
/// Source: https://onnx.ai/onnx/operators/onnx__Col2Im.html
class Col2Im final : public Op {
 public:
  explicit Col2Im(const NodeSpec& node)
      : strides_(node.attr_or("strides", std::vector<int64_t>{})),
        dilations_(node.attr_or("dilations", std::vector<int64_t>{})),
        pads_(node.attr_or("pads", std::vector<int64_t>{})) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 3);
    require_rank(in[0], 3, "input");
    if (in[0].dtype == DType::kString) {
      throw Error(ErrorKind::kUnsupported, "elements where blocks overlap are added, and strings have no sum");
    }
    const auto image = determined_ints(in[1]);
    const auto block = constant_ints(in[2]);
    if (!image || !block) return {Fact(in[0].dtype, std::nullopt)};
    int64_t taps = 1;
    Dim blocks = 1;
    const std::vector<BlockAxis> axes = this->axes(*image, *block);
    for (size_t i = 0; i < axes.size(); ++i) {
      taps = checked_mul(taps, axes[i].block);
      blocks = checked_mul(blocks, count_blocks(axes[i], (*image)[i]));
    }
    Dims dims{Dim(), Dim()};
    if (in[0].has_rank()) {
      merge_dim(in[0].dim(2), blocks, "the last dim of input and the number of blocks");
      dims = {in[0].dim(0), channels(in[0], taps)};
    }
    dims.insert(dims.end(), image->begin(), image->end());
    return {Fact(in[0].dtype, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape y = in.output_shape(0);
    std::vector<BlockAxis> axes = this->axes(*determined_ints(in.fact(1)), tensor_ints(*in.constant(2)));
    return dispatch_sum(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<Col2ImKernel<T>>(std::move(axes), checked_mul(y[0], y[1]),
                                               kernels_for<ReduceKernels>(in.isa()).add_rows);
    });
  }

  std::vector<int> value_inputs() const override { return {1, 2}; }

 private:
  static Dim channels(const Fact& x, int64_t taps) {
    if (!x.dim(1).known() || x.dim(1).value() % taps == 0) return floor_div(x.dim(1), taps);
    throw Error(ErrorKind::kShape,
                str("dim 1 of input must be a multiple of the block's ", taps, " elements, got ", x));
  }

  static int64_t at_or(const std::vector<int64_t>& list, size_t i, size_t length, int64_t fallback, const char* name) {
    if (list.empty()) return fallback;
    if (list.size() != length) {
      throw Error(ErrorKind::kShape, str(name, " must have ", length, " values, got ", list.size()));
    }
    return list[i];
  }

  std::vector<BlockAxis> axes(const Dims& image, const std::vector<int64_t>& block) const {
    const size_t n = image.size();
    if (n == 0 || block.size() != n) {
      throw Error(ErrorKind::kShape, str("image_shape and block_shape must have as many values, at least one, got ", n,
                                         " and ", block.size()));
    }
    std::vector<BlockAxis> axes(n);
    for (size_t i = 0; i < n; ++i) {
      const int64_t pad_end = at_or(pads_, n + i, 2 * n, 0, "pads");
      axes[i] = {image[i].value(),
                 block[i],
                 at_or(strides_, i, n, 1, "strides"),
                 at_or(dilations_, i, n, 1, "dilations"),
                 at_or(pads_, i, 2 * n, 0, "pads"),
                 pad_end};
      axes[i].count = count_blocks(axes[i], image[i]).value();
    }
    return axes;
  }

  /// Returns the number of blocks along an axis of an image whose extent may be unknown.
  static Dim count_blocks(const BlockAxis& axis, const Dim& image) {
    if ((image.known() && image.value() < 0) || axis.block < 1 || axis.stride < 1 || axis.dilation < 1 ||
        axis.pad < 0 || axis.pad_end < 0) {
      throw Error(ErrorKind::kShape,
                  "block_shape, strides and dilations must be at least 1, image_shape and pads at least 0");
    }
    const Dim padded = checked_add(checked_add(image, axis.pad), axis.pad_end);
    const int64_t extent = checked_add(checked_mul(axis.block - 1, axis.dilation), 1);
    if (padded.known() && padded.value() < extent) {
      throw Error(ErrorKind::kShape, str("a block of ", extent, " does not fit into ", padded, " padded positions"));
    }
    learn_at_least(padded, extent);
    return floor_div(padded - extent, axis.stride) + 1;
  }

  std::vector<int64_t> strides_, dilations_, pads_;
};

}  // namespace

LINNET_REGISTER(col2im)(Registry& registry) { registry.add<Col2Im>("Col2Im", {.since = 18}); }

}  // namespace linnet
