#include "movement/pad_kernels.h"

#include <algorithm>

#include "elements/dispatch.h"
#include "movement/copy.h"
#include "movement/strided_copy.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

/// The last axis that padding changes; 0 if padding changes no axis.
int last_padded_axis(const Shape& x, const Shape& y, const std::vector<int64_t>& begins) {
  int last = x.rank() - 1;
  while (last > 0 && begins[size_t(last)] == 0 && x[last] == y[last]) --last;
  return last;
}

/// Writes each row of the output, along the last padded axis, once: padding, a run of the input, padding. The axes
/// after it form one unit.
class ConstantPadKernel final : public Kernel {
 public:
  ConstantPadKernel(DType dtype, const Shape& x, const Shape& y, const std::vector<int64_t>& begins,
                    const Tensor& value, int value_input)
      : copy_(copy_row_of(dtype)), width_(element_bytes(dtype)), value_(value), value_input_(value_input) {
    const int last = last_padded_axis(x, y, begins);
    const int64_t unit = x.elements(last + 1, x.rank()), in = x[last], out = y[last], begin = begins[size_t(last)];
    const int64_t first = std::clamp<int64_t>(begin, 0, out), end = std::clamp(begin + in, first, out);
    in_row_ = checked_mul(in, unit);
    row_ = checked_mul(out, unit);
    from_ = checked_mul(std::clamp<int64_t>(-begin, 0, in), unit);
    body_ = {checked_mul(first, unit), checked_mul(end, unit)};
    for (int d = 0; d < last; ++d) add_axis({x[d], y[d], begins[size_t(d)]});
    rows_ = y.elements(0, last);
  }

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    const void* value = (value_input_ < 0 ? value_ : context.input(value_input_)).raw();
    parallel_items(context.executor(), rows_, row_, [&](int64_t row, int64_t end, int) {
      for (; row < end; ++row) write_row(x, row, value, y + row * row_ * width_);
    });
  }

 private:
  struct Axis {
    int64_t in, out, begin;
    bool padded() const { return begin != 0 || in != out; }
  };

  /// Merges adjacent axes that are not padded.
  void add_axis(const Axis& axis) {
    if (!axes_.empty() && !axes_.back().padded() && !axis.padded()) {
      axes_.back().in *= axis.in;
      axes_.back().out *= axis.out;
    } else {
      axes_.push_back(axis);
    }
  }

  /// The row of the input that an output row contains; -1 for padding.
  std::ptrdiff_t source(int64_t row) const {
    std::ptrdiff_t result = 0, stride = 1;
    for (size_t d = axes_.size(); d-- > 0;) {
      const Axis& axis = axes_[d];
      const int64_t i = (d > 0 ? row % axis.out : row) - axis.begin;
      if (i < 0 || i >= axis.in) return -1;
      row /= d > 0 ? axis.out : 1;
      result += i * stride;
      stride *= axis.in;
    }
    return result;
  }

  void write_row(const std::byte* x, int64_t row, const void* value, std::byte* y) const {
    const int64_t from = source(row);
    if (from < 0) return copy_(value, 0, y, 1, row_);
    copy_(value, 0, y, 1, body_.begin);
    copy_(x + (from * in_row_ + from_) * width_, 1, y + body_.begin * width_, 1, body_.size());
    copy_(value, 0, y + body_.end * width_, 1, row_ - body_.end);
  }

  CopyRow copy_;
  int64_t width_;
  Tensor value_;
  int value_input_;
  /// The elements of an input row and of an output row, the number of output rows, and the first element of an input
  /// row that is copied.
  int64_t in_row_, row_, rows_, from_;
  Span body_;               ///< The part of an output row that is not padding.
  std::vector<Axis> axes_;  ///< The axes before the rows.
};

/// Returns the input's coordinate for coordinate i of the output, counted from the input's beginning. n is the input's
/// dim.
int64_t source_of(int64_t i, int64_t n, PadMode mode) {
  if (mode == PadMode::kEdge) return std::clamp<int64_t>(i, 0, n - 1);
  const int64_t period = mode == PadMode::kWrap ? n : std::max<int64_t>(1, 2 * (n - 1));
  const int64_t phase = (i % period + period) % period;
  return phase < n ? phase : period - phase;
}

/// Finds each element of the output in the input, axis by axis. The axes after the last padded one form one unit. Along
/// that axis, runs that are not padding are copied whole.
template <class T>
class IndexPadKernel final : public Kernel {
 public:
  IndexPadKernel(const Shape& x, const Shape& y, const std::vector<int64_t>& begins, PadMode mode) {
    const int last = last_padded_axis(x, y, begins);
    unit_ = x.elements(last + 1, x.rank());
    const std::vector<int64_t> strides = row_major_strides(x);
    for (int d = 0; d <= last; ++d) {
      const int64_t begin = begins[size_t(d)];
      CountedVector<int64_t>& offsets = offsets_.emplace_back();
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

  std::vector<CountedVector<int64_t>> offsets_;  ///< For each coordinate of the output, its offset in the input.
  int64_t unit_, columns_, rows_;
  Span body_;  ///< The columns that are not padding.
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
  return std::make_unique<ConstantPadKernel>(dtype, x, y, begins, value, value_input);
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
