#include "movement/pad_kernels.h"

#include <algorithm>
#include <array>
#include <span>

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

/// The coordinates of a row along the axes before the rows, outermost first.
class RowCoordinates {
 public:
  RowCoordinates(std::span<const int64_t> dims, int64_t row) : dims_(dims) {
    for (size_t d = dims.size(); d-- > 0; row /= dims[d]) at_[d] = row % dims[d];
  }
  int64_t operator[](size_t d) const { return at_[d]; }
  void advance() {
    for (size_t d = dims_.size(); d-- > 0 && ++at_[d] == dims_[d];) at_[d] = 0;
  }

 private:
  std::span<const int64_t> dims_;
  std::array<int64_t, kMaxRank> at_{};
};

/// Writes the output once and in order: from each row, along the last padded axis, the run that the input has, and
/// between two runs the padding. The axes after it form one unit.
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
    for (size_t d = axes_.size(); d-- > 1;) axes_[d - 1].stride = checked_mul(axes_[d].stride, axes_[d].in);
    for (const Axis& axis : axes_) dims_.push_back(axis.out);
    rows_ = y.elements(0, last);
  }

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    const void* value = (value_input_ < 0 ? value_ : context.input(value_input_)).raw();
    parallel_items(context.executor(), rows_, row_,
                   [&](int64_t row, int64_t end, int) { write_rows(x, row, end, value, y); });
  }

 private:
  struct Axis {
    int64_t in, out, begin;
    std::ptrdiff_t stride = 1;  // of the input, in rows
    bool padded() const { return begin != 0 || in != out; }
  };

  /// Merges adjacent axes that are not padded.
  void add_axis(const Axis& axis) {
    if (!axes_.empty() && !axes_.back().padded() && !axis.padded()) {
      axes_.back().in = checked_mul(axes_.back().in, axis.in);
      axes_.back().out = axes_.back().in;
    } else {
      axes_.push_back(axis);
    }
  }

  /// The row of the input that an output row contains; -1 for padding.
  std::ptrdiff_t source(const RowCoordinates& at) const {
    std::ptrdiff_t row = 0;
    for (size_t d = 0; d < axes_.size(); ++d) {
      const int64_t i = at[d] - axes_[d].begin;
      if (i < 0 || i >= axes_[d].in) return -1;
      row += i * axes_[d].stride;
    }
    return row;
  }

  void write_rows(const std::byte* x, int64_t row, int64_t end, const void* value, std::byte* y) const {
    int64_t done = row * row_;
    for (RowCoordinates at(dims_, row); row < end; ++row, at.advance()) {
      const std::ptrdiff_t from = source(at);
      if (from < 0) continue;
      const int64_t body = row * row_ + body_.begin;
      copy_(value, 0, y + done * width_, 1, body - done);
      copy_(x + (from * in_row_ + from_) * width_, 1, y + body * width_, 1, body_.size());
      done = body + body_.size();
    }
    copy_(value, 0, y + done * width_, 1, end * row_ - done);
  }

  CopyRow copy_;
  int64_t width_;
  Tensor value_;
  int value_input_;
  /// The elements of an input row and of an output row, the number of output rows, and the first element of an input
  /// row that is copied.
  int64_t in_row_, row_, rows_, from_;
  Span body_;                  ///< The part of an output row that is not padding.
  std::vector<Axis> axes_;     ///< The axes before the rows.
  std::vector<int64_t> dims_;  ///< Their dims in the output.
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
    dims_.assign(y.begin(), y.begin() + last);
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
      RowCoordinates at(dims_, begin);
      for (int64_t r = begin; r < end; ++r, at.advance()) copy_row(x + row_offset(at), y + r * row);
    });
  }

 private:
  int64_t row_offset(const RowCoordinates& at) const {
    int64_t offset = 0;
    for (size_t d = 0; d < dims_.size(); ++d) offset += offsets_[d][size_t(at[d])];
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
  std::vector<int64_t> dims_;                    ///< The output's dims before the rows.
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
