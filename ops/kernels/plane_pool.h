#pragma once

#include <cstdint>

namespace linnet {

/// How the columns of windows lie on lines of neighbouring elements.
struct PlaneColumns {
  int64_t in, out;
  int64_t pad;  ///< the first window begins so far before the line
  int64_t kernel, stride, dilation;

  int64_t padded;  ///< elements of a line with padding at both ends, all that windows meet

  /// The most elements of a vector of any type, and what kernels touch behind the last line.
  static constexpr int64_t kMostLanes = 64, kTouched = 256;
};

/// Rows of output of windows on planes, whose pixels are one element each: the same rows of each plane. The windows of
/// row r meet counts[r] lines, which begin `taps` elements behind their plane's first, those of a row behind those of
/// the row before.
template <class T>
struct PlaneRows {
  const T* x;  ///< the first plane
  const int64_t* taps;
  const int64_t* counts;
  int64_t rows;
  int64_t planes, plane_pitch;
  T* lines;  ///< scratch of planes * rows * PlaneColumns::padded elements and kTouched more, padded before
};

/// y: [planes, rows, out].
template <class T>
struct PlaneMaxKernels {
  /// Writes the padding of lines.
  void (*pad)(const PlaneColumns& s, int64_t count, T* lines);
  /// The largest of each window, NaN where any is NaN; without an element -inf or the least one.
  void (*rows)(const PlaneColumns& s, const PlaneRows<T>& rows, T* y);
};

struct PlanePoolKernels {
  PlaneMaxKernels<float> max_f32;
  PlaneMaxKernels<double> max_f64;
  PlaneMaxKernels<uint8_t> max_u8;
  PlaneMaxKernels<int8_t> max_s8;
  void (*pad_mean_f32)(const PlaneColumns& s, int64_t count, float* lines);
  /// The sum of each window divided by factors[row] * elements[column]; `elements` has kMostLanes more than columns.
  void (*mean_f32)(const PlaneColumns& s, const PlaneRows<float>& rows, const float* factors, const float* elements,
                   float* y);
};

}  // namespace linnet
