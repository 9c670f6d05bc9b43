#include "tensor/resize_nearest.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "partition/parallel.h"
#include "tensor/copy.h"

namespace linnet {
namespace {

/// y[i] = x[index[i]] for pixels that are a T.
template <class T>
void take_pixels(const void* x_data, const int64_t* index, int64_t n, void* y_data) {
  const T* x = static_cast<const T*>(x_data);
  T* __restrict y = static_cast<T*>(y_data);
  for (int64_t i = 0; i < n; ++i) y[i] = x[index[i]];
}

/// Each of n pixels twice.
template <class T>
void double_pixels(const void* x_data, int64_t n, void* y_data) {
  const T* x = static_cast<const T*>(x_data);
  T* __restrict y = static_cast<T*>(y_data);
  for (int64_t i = 0; i < n; ++i) y[2 * i] = y[2 * i + 1] = x[i];
}

struct PixelFunctions {
  void (*take)(const void* x, const int64_t* index, int64_t n, void* y) = nullptr;
  void (*twice)(const void* x, int64_t n, void* y) = nullptr;
};

/// Null for pixels that no number is as wide as.
PixelFunctions pixel_functions(int64_t bytes) {
  switch (bytes) {
    case 1:
      return {take_pixels<uint8_t>, double_pixels<uint8_t>};
    case 2:
      return {take_pixels<uint16_t>, double_pixels<uint16_t>};
    case 4:
      return {take_pixels<uint32_t>, double_pixels<uint32_t>};
    case 8:
      return {take_pixels<uint64_t>, double_pixels<uint64_t>};
    default:
      return {};
  }
}

/// Every pixel of the line goes to the next two.
bool doubles(const ResizeAxis& axis) {
  if (axis.any_outside() || axis.out != 2 * axis.in) return false;
  for (int64_t out = 0; out < axis.out; ++out) {
    if (axis.index[size_t(out)] != out / 2) return false;
  }
  return true;
}

class NearestResize final : public Kernel {
 public:
  NearestResize(ResizeLines lines, DType dtype, const Tensor& extrapolation_value)
      : lines_(std::move(lines)),
        copy_(copy_row_of(dtype)),
        width_(element_bytes(dtype)),
        extrapolation_value_(extrapolation_value),
        doubles_(doubles(lines_.axis())),
        bytes_(dtype != DType::kString) {
    for (int64_t line = 0; lines_.lines() <= kMostListed && line < lines_.lines(); ++line) {
      sources_.push_back(lines_.source(line));
    }
    if (bytes_ && !lines_.axis().any_outside()) functions_ = pixel_functions(checked_mul(lines_.inner(), width_));
    doubles_short_ = functions_.twice && doubles_ && checked_mul(lines_.out_elements(), width_) <= kShortLine;
  }

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    const int64_t elements = lines_.out_elements(), pitch = elements * width_, lines = lines_.lines();
    const int64_t in_plane = lines_.in_lines() * lines_.in_elements() * width_;
    parallel_items(context.executor(), lines_.planes() * lines, elements, [&](int64_t item, int64_t end, int) {
      while (item < end) {
        const int64_t plane = item / lines, plane_end = std::min(end, (plane + 1) * lines);
        int64_t before = -1;
        for (; item < plane_end; ++item) {
          const int64_t source = source_of(item - plane * lines);
          move_line(x + plane * in_plane, source, before, y + item * pitch);
          before = source;
        }
      }
    });
  }

 private:
  static constexpr int64_t kMostListed = int64_t{1} << 14;
  static constexpr int64_t kShortLine = 128;  // bytes that are doubled again sooner than copied

  int64_t source_of(int64_t line) const { return sources_.empty() ? lines_.source(line) : sources_[size_t(line)]; }

  /// `before` is the source of the line in front.
  void move_line(const std::byte* x, int64_t source, int64_t before, std::byte* y) const {
    const ResizeAxis& axis = lines_.axis();
    if (source < 0) return copy_(extrapolation_value_.raw(), 0, y, 1, lines_.out_elements());
    if (source == before && !doubles_short_)
      return copy_(y - lines_.out_elements() * width_, 1, y, 1, lines_.out_elements());
    x += source * width_;
    if (functions_.take) {
      return doubles_ ? functions_.twice(x, axis.in, y) : functions_.take(x, axis.index.data(), axis.out, y);
    }
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
  std::vector<std::ptrdiff_t> sources_;  ///< of the lines of a plane, where they are few
  CopyRow copy_;
  int64_t width_;
  Tensor extrapolation_value_;
  bool doubles_, bytes_, doubles_short_ = false;
  PixelFunctions functions_;
};

}  // namespace

KernelPtr make_nearest_resize(ResizeLines lines, DType dtype, const Tensor& extrapolation_value) {
  return std::make_unique<NearestResize>(std::move(lines), dtype, extrapolation_value);
}

}  // namespace linnet
