#include "resize/resize_nearest.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "movement/copy.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "resize/repeat_pixels.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

/// Copies y[i] = x[index[i]] for pixels that have the width of T.
template <class T>
void take_pixels(const void* x_data, const int64_t* index, int64_t n, void* y_data) {
  const T* x = static_cast<const T*>(x_data);
  T* __restrict y = static_cast<T*>(y_data);
  for (int64_t i = 0; i < n; ++i) y[i] = x[index[i]];
}

using TakePixels = void (*)(const void* x, const int64_t* index, int64_t n, void* y);

/// Returns null for pixels whose width is not that of a number.
TakePixels take_pixels_of(int64_t bytes) {
  switch (bytes) {
    case 1:
      return take_pixels<uint8_t>;
    case 2:
      return take_pixels<uint16_t>;
    case 4:
      return take_pixels<uint32_t>;
    case 8:
      return take_pixels<uint64_t>;
    default:
      return nullptr;
  }
}

/// Returns how often each pixel of the line is repeated if that is the same for all, else 0.
int64_t times_of(const ResizeAxis& axis) {
  if (axis.any_outside() || axis.in == 0 || axis.out % axis.in != 0) return 0;
  const int64_t times = axis.out / axis.in;
  for (int64_t out = 0; out < axis.out; ++out) {
    if (axis.index[size_t(out)] != out / times) return 0;
  }
  return times;
}

/// Returns how often each line of a plane is repeated in succession if that is the same for all, else 0.
int64_t copies_of(const ResizeLines& lines) {
  if (lines.in_lines() == 0 || lines.lines() % lines.in_lines() != 0) return 0;
  const int64_t copies = lines.lines() / lines.in_lines();
  Checkpoints checkpoints;
  for (int64_t line = 0; line < lines.lines(); ++line) {
    if (lines.source(line) != checked_mul(line / copies, lines.in_elements())) return 0;
    checkpoints.add(8);
  }
  return copies;
}

/// A resize that repeats each pixel and each line a fixed number of times.
class RepeatingResize final : public Kernel {
 public:
  RepeatingResize(const ResizeLines& lines, RepeatPixels repeat, int64_t copies, int64_t width)
      : repeat_(repeat),
        lines_(checked_mul(lines.planes(), lines.in_lines())),
        pixels_(lines.axis().in),
        copies_(copies),
        in_bytes_(checked_mul(lines.in_elements(), width)),
        out_bytes_(checked_mul(checked_mul(lines.out_elements(), width), copies)) {}

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    const int64_t elements = context.output(0).size() / std::max<int64_t>(1, lines_);
    parallel_items(context.executor(), lines_, elements, [&](int64_t line, int64_t end, int) {
      repeat_(x + line * in_bytes_, end - line, pixels_, copies_, y + line * out_bytes_);
    });
  }

 private:
  RepeatPixels repeat_;
  /// The last two are the bytes of an input line and of its copies.
  int64_t lines_, pixels_, copies_, in_bytes_, out_bytes_;
};

class NearestResize final : public Kernel {
 public:
  NearestResize(ResizeLines lines, DType dtype, const Tensor& extrapolation_value)
      : lines_(std::move(lines)),
        copy_(copy_row_of(dtype)),
        width_(element_bytes(dtype)),
        extrapolation_value_(extrapolation_value),
        bytes_(dtype != DType::kString) {
    for (int64_t line = 0; lines_.lines() <= kMostListed && line < lines_.lines(); ++line) {
      sources_.push_back(lines_.source(line));
    }
    if (!bytes_ || lines_.axis().any_outside()) return;
    const int64_t pixel = checked_mul(lines_.inner(), width_);
    take_ = take_pixels_of(pixel);
    repeat_ = repeat_pixels(pixel, times_of(lines_.axis()));
  }

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    const int64_t elements = lines_.out_elements(), lines = lines_.lines();
    const int64_t in_plane = lines_.in_lines() * lines_.in_elements() * width_;
    parallel_items(context.executor(), lines_.planes() * lines, elements, [&](int64_t item, int64_t end, int) {
      while (item < end) {
        const int64_t plane = item / lines, plane_end = std::min(end, (plane + 1) * lines);
        item = repeat_ ? repeat_lines(x + plane * in_plane, item, plane_end, y)
                       : move_lines(x + plane * in_plane, item, plane_end, y);
      }
    });
  }

 private:
  static constexpr int64_t kMostListed = int64_t{1} << 14;

  int64_t source_of(int64_t line) const { return sources_.empty() ? lines_.source(line) : sources_[size_t(line)]; }

  /// Writes the lines [item, end) of a plane at x. Returns end.
  int64_t repeat_lines(const std::byte* x, int64_t item, int64_t end, std::byte* y) const {
    const int64_t lines = lines_.lines(), pitch = checked_mul(lines_.out_elements(), width_);
    for (int64_t first = item; item < end; first = item) {
      const int64_t source = source_of(first % lines);
      do ++item;
      while (item < end && source_of(item % lines) == source);
      if (source < 0)
        copy_(extrapolation_value_.raw(), 0, y + first * pitch, 1, checked_mul(item - first, lines_.out_elements()));
      else
        repeat_(x + source * width_, 1, lines_.axis().in, item - first, y + first * pitch);
    }
    return end;
  }
  int64_t move_lines(const std::byte* x, int64_t item, int64_t end, std::byte* y) const {
    const int64_t lines = lines_.lines(), pitch = checked_mul(lines_.out_elements(), width_);
    for (int64_t before = -1; item < end; ++item) {
      const int64_t source = source_of(item % lines);
      move_line(x, source, before, y + item * pitch);
      before = source;
    }
    return end;
  }

  /// Writes a line. `before` is the source of the line before it.
  void move_line(const std::byte* x, int64_t source, int64_t before, std::byte* y) const {
    const ResizeAxis& axis = lines_.axis();
    if (source < 0) return copy_(extrapolation_value_.raw(), 0, y, 1, lines_.out_elements());
    if (source == before) return copy_(y - lines_.out_elements() * width_, 1, y, 1, lines_.out_elements());
    x += source * width_;
    if (take_) return take_(x, axis.index.data(), axis.out, y);
    move_pixels(x, y);
  }

  void move_pixels(const std::byte* x, std::byte* y) const {
    const ResizeAxis& axis = lines_.axis();
    const int64_t pixel = lines_.inner() * width_;
    for (int64_t out = 0; out < axis.out; ++out, y += pixel) {
      const std::byte* from = x + axis.index[size_t(out)] * pixel;
      if (axis.outside[size_t(out)]) {
        copy_(extrapolation_value_.raw(), 0, y, 1, lines_.inner());
      } else if (bytes_) {
        std::memcpy(y, from, size_t(pixel));
      } else {
        copy_(from, 1, y, 1, lines_.inner());
      }
    }
  }

  ResizeLines lines_;
  CountedVector<std::ptrdiff_t> sources_;  ///< The sources of the lines of a plane if there are few.
  CopyRow copy_;
  int64_t width_;
  Tensor extrapolation_value_;
  bool bytes_;
  TakePixels take_ = nullptr;
  RepeatPixels repeat_ = nullptr;
};

}  // namespace

KernelPtr make_nearest_resize(ResizeLines lines, DType dtype, const Tensor& extrapolation_value) {
  if (dtype != DType::kString) {
    const int64_t width = element_bytes(dtype), copies = copies_of(lines);
    const RepeatPixels repeat = repeat_pixels(checked_mul(lines.inner(), width), times_of(lines.axis()));
    if (repeat && copies > 0) return std::make_unique<RepeatingResize>(lines, repeat, copies, width);
  }
  return std::make_unique<NearestResize>(std::move(lines), dtype, extrapolation_value);
}

}  // namespace linnet
