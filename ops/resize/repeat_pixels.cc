#include "resize/repeat_pixels.h"

namespace linnet {
namespace {

template <class T, int kTimes>
void repeat_line(const T* __restrict x, int64_t n, T* __restrict y) {
  for (int64_t i = 0; i < n; ++i) {
    for (int t = 0; t < kTimes; ++t) y[i * kTimes + t] = x[i];
  }
}

/// Repeats a line and writes it in two places. Writing a value from a register twice is faster than reading it again.
/// Long lines are excluded because memory is slow to write in two places at a time.
template <class T, int kTimes>
void repeat_line_twice(const T* __restrict x, int64_t n, T* __restrict y, T* __restrict z) {
  for (int64_t i = 0; i < n; ++i) {
    for (int t = 0; t < kTimes; ++t) y[i * kTimes + t] = z[i * kTimes + t] = x[i];
  }
}

template <class T, int kTimes>
void repeat_lines(const void* x_data, int64_t lines, int64_t n, int64_t copies, void* y_data) {
  const T* x = static_cast<const T*>(x_data);
  T* y = static_cast<T*>(y_data);
  constexpr int64_t kShort = 256 / sizeof(T);
  const int64_t pitch = n * kTimes;
  for (int64_t line = 0; line < lines; ++line, x += n) {
    int64_t left = copies;
    for (; left > 1 && pitch <= kShort; left -= 2, y += 2 * pitch) repeat_line_twice<T, kTimes>(x, n, y, y + pitch);
    for (; left > 0; --left, y += pitch) repeat_line<T, kTimes>(x, n, y);
  }
}

template <class T>
RepeatPixels of_width(int64_t times) {
  switch (times) {
    case 2:
      return repeat_lines<T, 2>;
    case 3:
      return repeat_lines<T, 3>;
    case 4:
      return repeat_lines<T, 4>;
    default:
      return nullptr;
  }
}

}  // namespace

RepeatPixels repeat_pixels(int64_t bytes, int64_t times) {
  switch (bytes) {
    case 1:
      return of_width<uint8_t>(times);
    case 2:
      return of_width<uint16_t>(times);
    case 4:
      return of_width<uint32_t>(times);
    case 8:
      return of_width<uint64_t>(times);
    default:
      return nullptr;
  }
}

}  // namespace linnet
