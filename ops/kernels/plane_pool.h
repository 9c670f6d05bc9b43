#pragma once

#include <cstdint>

namespace linnet {

/// The positions of the columns of windows on lines of contiguous elements.
struct PlaneColumns {
  int64_t in, out;
  int64_t pad;  ///< distance from the start of the first window to the start of the line
  int64_t kernel, stride, dilation;

  int64_t padded;  ///< elements of a line with the padding at both ends that windows read

  /// The most elements of a vector of any type, and the number of elements that kernels touch after the last line.
  static constexpr int64_t kMostLanes = 64, kTouched = 256;
};

/// Some rows of output of windows on planes, the same rows of each plane. A pixel is one element. The windows of row r
/// read counts[r] lines. `taps` contains the offsets of these lines from their plane's first element, row after row.
template <class T>
struct PlaneRows {
  const T* x;  ///< the first plane
  const int64_t* taps;
  const int64_t* counts;
  int64_t rows;
  int64_t planes, plane_pitch;
  T* lines;  ///< scratch of planes * rows * PlaneColumns::padded elements and kTouched more, padded beforehand
};

/// Maximum pooling. y: [planes, rows, out].
template <class T>
struct PlaneMaxKernels {
  /// Writes the padding of lines.
  void (*pad)(const PlaneColumns& s, int64_t count, T* lines);
  /// Computes the maximum of each window. It is NaN where any element is NaN. Without elements it is -inf or the least
  /// value.
  void (*rows)(const PlaneColumns& s, const PlaneRows<T>& rows, T* y);
};

struct PlanePoolKernels {
  PlaneMaxKernels<float> max_f32;
  PlaneMaxKernels<double> max_f64;
  PlaneMaxKernels<uint8_t> max_u8;
  PlaneMaxKernels<int8_t> max_s8;
  void (*pad_mean_f32)(const PlaneColumns& s, int64_t count, float* lines);
  /// Computes the sum of each window times shares[first_share[row] + column]. `shares` has kMostLanes more elements
  /// after the last column.
  void (*mean_f32)(const PlaneColumns& s, const PlaneRows<float>& rows, const float* shares, const int64_t* first_share,
                   float* y);
};

}  // namespace linnet
