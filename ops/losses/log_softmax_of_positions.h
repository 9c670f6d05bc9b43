#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/kernels_for.h"
#include "kernels/softmax.h"
#include "linnet/op.h"

namespace linnet {

/// Log probabilities: that of class c at position p is at first[p * position + c * class_].
template <class T>
struct LogProbs {
  const T* first;
  int64_t position, class_;
};

/// Computes the log-softmax of scores [n, classes, inner] over the classes, for a group of positions at a time.
template <class T>
class LogSoftmaxOfPositions {
 public:
  LogSoftmaxOfPositions(int64_t classes, int64_t inner, Isa isa)
      : classes_(classes), inner_(inner), kernels_(kernels_for<SoftmaxKernels>(isa)) {}

  /// The number of positions from `first` to at most `end` that are computed together.
  int64_t count(int64_t first, int64_t end) const {
    const int64_t most = inner_ > 1 ? std::min(kColumns, inner_ - first % inner_) : rows();
    return std::min(most, end - first);
  }
  /// The number of elements of `room` for compute().
  int64_t room() const { return checked_mul(classes_, inner_ > 1 ? kColumns : rows()); }

  /// Computes `count` positions from `first` on. Writes them to y, which has the shape of the scores, or to `room` if y
  /// is nullptr.
  LogProbs<T> compute(const T* x, T* y, int64_t first, int64_t count, T* room) const {
    const int64_t offset = first / inner_ * classes_ * inner_ + first % inner_;
    x += offset;
    T* to = y ? y + offset : room;
    if (inner_ == 1) {
      log_rows(x, to, count);
      return {to, classes_, 1};
    }
    const int64_t pitch = y ? inner_ : kColumns;
    if (!y) {
      for (int64_t c = 0; c < classes_; ++c) std::copy_n(x + c * inner_, count, to + c * pitch);
    }
    log_columns(y ? x : to, to, pitch, count);
    return {to, 1, pitch};
  }

 private:
  /// The columns that are computed together, or the elements of the rows that are.
  static constexpr int64_t kColumns = 64, kRowElements = 4096;

  int64_t rows() const { return std::max<int64_t>(1, kRowElements / std::max<int64_t>(1, classes_)); }

  void log_rows(const T* x, T* y, int64_t count) const {
    if constexpr (std::is_same_v<T, float>) return kernels_.log_rows(x, y, count, classes_);
    for (int64_t i = 0; i < count; ++i) log_lane(x + i * classes_, y + i * classes_, 1);
  }
  void log_columns(const T* x, T* y, int64_t pitch, int64_t count) const {
    if constexpr (std::is_same_v<T, float>) return kernels_.log_columns(x, y, classes_, pitch, count);
    for (int64_t i = 0; i < count; ++i) log_lane(x + i, y + i, pitch);
  }
  /// x == y is allowed.
  void log_lane(const T* x, T* y, int64_t stride) const {
    T max = -std::numeric_limits<T>::infinity(), sum = 0;
    for (int64_t c = 0; c < classes_; ++c) max = std::max(max, x[c * stride]);
    for (int64_t c = 0; c < classes_; ++c) sum += std::exp(x[c * stride] - max);
    for (int64_t c = 0; c < classes_; ++c) y[c * stride] = x[c * stride] - max - std::log(sum);
  }

  int64_t classes_, inner_;
  SoftmaxKernels kernels_;
};

}  // namespace linnet
