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

/// Rows of output of windows on planes, whose pixels are one element each. The windows of row r meet counts[r] lines,
/// whose addresses follow those of the row before in `taps`. y: [rows, s.out]; lines: scratch of rows * s.padded
/// elements and kTouched more.
template <class T>
struct PlaneMaxKernels {
  /// The largest of each window, NaN where any is NaN; without an element -inf or the least one.
  void (*rows)(const PlaneColumns& s, const T* const* taps, const int64_t* counts, int64_t rows, T* y, T* lines);
};

struct PlanePoolKernels {
  PlaneMaxKernels<float> max_f32;
  PlaneMaxKernels<double> max_f64;
  PlaneMaxKernels<uint8_t> max_u8;
  PlaneMaxKernels<int8_t> max_s8;
  /// The sum of each window divided by factors[r] * elements[column]; `elements` has kMostLanes more than columns.
  void (*mean_f32)(const PlaneColumns& s, const float* const* taps, const int64_t* counts, const float* factors,
                   const float* elements, int64_t rows, float* y, float* lines);
};

}  // namespace linnet
