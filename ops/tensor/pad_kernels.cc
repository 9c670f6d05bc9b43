#include "tensor/pad_kernels.h"

#include <algorithm>

#include "elements/dispatch.h"
#include "partition/parallel.h"
#include "partition/parts.h"
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

/// Finds each element of the output in the input, axis by axis. Axes behind the last padded one are one unit; along
/// that one, what is not padding is copied in runs.
template <class T>
class IndexPadKernel final : public Kernel {
 public:
  IndexPadKernel(const Shape& x, const Shape& y, const std::vector<int64_t>& begins, PadMode mode) {
    int last = x.rank() - 1;
    while (last > 0 && begins[size_t(last)] == 0 && x[last] == y[last]) --last;
    unit_ = x.elements(last + 1, x.rank());
    const std::vector<int64_t> strides = row_major_strides(x);
    for (int d = 0; d <= last; ++d) {
      const int64_t begin = begins[size_t(d)];
      std::vector<int64_t>& offsets = offsets_.emplace_back();
      for (int64_t i = 0; i < y[d]; ++i) {
        offsets.push_back(checked_mul(source_of(i - begin, x[d], mode), strides[size_t(d)]));
      }
    }
    columns_ = y[last];
    rows_ = y.elements(0, last);
    body_.begin = std::clamp<int64_t>(begins[size_t(last)], 0, columns_);
    body_.end = std::clamp<int64_t>(begins[size_t(last)] + x[last], body_.begin, columns_);
  }

  void run(KernelContext& context) const override {
    const T* x = static_cast<const T*>(context.input(0).raw());
    T* y = static_cast<T*>(context.output(0).raw());
    const int64_t row = columns_ * unit_;
    parallel_items(context.executor(), rows_, row, [&](int64_t begin, int64_t end, int) {
      for (int64_t r = begin; r < end; ++r) copy_row(x + row_offset(r), y + r * row);
    });
  }

 private:
  int64_t row_offset(int64_t row) const {
    int64_t offset = 0;
    for (size_t d = offsets_.size() - 1; d-- > 0;) {
      const auto extent = int64_t(offsets_[d].size());
      offset += offsets_[d][size_t(row % extent)];
      row /= extent;
    }
    return offset;
  }

  void copy_row(const T* x, T* y) const {
    copy_units(x, y, 0, body_.begin);
    if (body_.size() > 0) {
      std::copy_n(x + offsets_.back()[size_t(body_.begin)], body_.size() * unit_, y + body_.begin * unit_);
    }
    copy_units(x, y, body_.end, columns_);
  }

  void copy_units(const T* x, T* y, int64_t begin, int64_t end) const {
    const int64_t* offsets = offsets_.back().data();
    if (unit_ == 1) {
      for (int64_t i = begin; i < end; ++i) y[i] = x[offsets[i]];
    } else {
      for (int64_t i = begin; i < end; ++i) std::copy_n(x + offsets[i], unit_, y + i * unit_);
    }
  }

  std::vector<std::vector<int64_t>> offsets_;  ///< of each coordinate of the output, in the input
  int64_t unit_, columns_, rows_;
  Span body_;  ///< the columns that are no padding
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
  return dispatch_width(
      dtype, [&]<class T>() -> KernelPtr { return std::make_unique<IndexPadKernel<T>>(x, y, begins, mode); });
}

}  // namespace linnet
