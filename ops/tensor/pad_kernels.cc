#include "tensor/pad_kernels.h"

#include <algorithm>

#include "partition/parallel.h"
#include "tensor/strided_copy.h"

namespace linnet {
namespace {

class ConstantPadKernel final : public Kernel {
 public:
  ConstantPadKernel(const Tensor& value, int value_input, StridedCopy body)
      : value_(value), value_input_(value_input), body_(std::move(body)) {}

  void run(KernelContext& context) const override {
    const Tensor& value = value_input_ < 0 ? value_ : context.input(value_input_);
    fill_tensor(value, context.output(0), context.executor());
    body_.run(context.input(0), context.output(0), context.executor());
  }

 private:
  Tensor value_;
  int value_input_;
  StridedCopy body_;
};

/// The input's coordinate for coordinate i of the output counted from the input's beginning; n is the input's dim.
int64_t source_of(int64_t i, int64_t n, PadMode mode) {
  if (mode == PadMode::kEdge) return std::clamp<int64_t>(i, 0, n - 1);
  const int64_t period = mode == PadMode::kWrap ? n : std::max<int64_t>(1, 2 * (n - 1));
  const int64_t phase = (i % period + period) % period;
  return phase < n ? phase : period - phase;
}

/// Finds each element of the output in the input; what is not padding is copied in runs along the last axis.
class IndexPadKernel final : public Kernel {
 public:
  IndexPadKernel(DType dtype, const Shape& x, const Shape& y, const std::vector<int64_t>& begins, PadMode mode)
      : copy_(copy_row_of(dtype)),
        width_(element_bytes(dtype)),
        x_(x),
        y_(y),
        begins_(begins),
        strides_(row_major_strides(x)),
        mode_(mode) {}

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    const int last = y_.rank() - 1;
    parallel_items(context.executor(), y_.elements(0, last), y_[last], [&](int64_t begin, int64_t end, int) {
      for (int64_t r = begin; r < end; ++r) copy_row(x + row_offset(r) * width_, y + r * y_[last] * width_);
    });
  }

 private:
  int64_t source(int d, int64_t i) const { return source_of(i - begins_[size_t(d)], x_[d], mode_); }

  int64_t row_offset(int64_t row) const {
    int64_t offset = 0;
    for (int d = y_.rank() - 2; d >= 0; row /= y_[d--]) offset += source(d, row % y_[d]) * strides_[size_t(d)];
    return offset;
  }

  void copy_row(const std::byte* x, std::byte* y) const {
    const int last = y_.rank() - 1;
    const int64_t n = y_[last], first = begins_[size_t(last)];
    const int64_t begin = std::clamp<int64_t>(first, 0, n), end = std::clamp<int64_t>(first + x_[last], begin, n);
    const auto run = [&](int64_t i, int64_t count) {
      copy_(x + source(last, i) * width_, 1, y + i * width_, 1, count);
    };
    for (int64_t i = 0; i < begin; ++i) run(i, 1);
    if (begin < end) run(begin, end - begin);
    for (int64_t i = end; i < n; ++i) run(i, 1);
  }

  CopyRow copy_;
  int64_t width_;
  Shape x_, y_;
  std::vector<int64_t> begins_, strides_;
  PadMode mode_;
};

}  // namespace

PadMode pad_mode(const std::string& word) {
  if (word == "constant") return PadMode::kConstant;
  if (word == "reflect") return PadMode::kReflect;
  if (word == "edge") return PadMode::kEdge;
  if (word == "wrap") return PadMode::kWrap;
  throw Error(ErrorKind::kModel, str("mode must be constant, reflect, edge or wrap, got '", word, "'"));
}

KernelPtr make_constant_pad(DType dtype, const Shape& x, const Shape& y, const std::vector<int64_t>& begins,
                            const Tensor& value, int value_input) {
  const std::vector<int64_t> x_strides = row_major_strides(x), y_strides = row_major_strides(y);
  std::vector<int64_t> extents;
  int64_t x_offset = 0, y_offset = 0;
  for (size_t d = 0; d < begins.size(); ++d) {
    const int64_t n = x[int(d)], first = std::max<int64_t>(0, -begins[d]);
    extents.push_back(std::max<int64_t>(0, std::min(n, y[int(d)] - begins[d]) - first));
    x_offset += first * x_strides[d];
    y_offset += std::max<int64_t>(0, begins[d]) * y_strides[d];
  }
  return std::make_unique<ConstantPadKernel>(value, value_input,
                                             StridedCopy(dtype, extents, x_strides, y_strides, x_offset, y_offset));
}

KernelPtr make_index_pad(DType dtype, const Shape& x, const Shape& y, const std::vector<int64_t>& begins,
                         PadMode mode) {
  for (int d = 0; d < x.rank(); ++d) {
    if (x[d] == 0 && y[d] > 0) throw Error(ErrorKind::kShape, str("axis ", d, " of ", x, " has nothing to pad with"));
  }
  return std::make_unique<IndexPadKernel>(dtype, x, y, begins, mode);
}

}  // namespace linnet
