#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "elements/axis_index.h"
#include "linnet/tensor.h"
#include "partition/checkpoints.h"

namespace linnet {

/// The bins of a region along one axis, and the positions of their samples in pixels.
template <class T>
struct RoiBins {
  T start, extent;
  int64_t samples;

  T at(int64_t bin, int64_t sample) const {
    return start + T(bin) * extent + (T(sample) + T(0.5)) * extent / T(samples);
  }
};

/// A position along an axis of `pixels` (one or more), interpolated between two of them: low with weight 1 - fraction,
/// and high with weight fraction.
template <class T>
struct RoiSample {
  RoiSample(T at, int64_t pixels) : inside(at >= -1 && at <= T(pixels)) {
    if (!inside) return;
    low = axis_index(at, pixels);
    high = std::min(low + 1, pixels - 1);
    if (low < high) fraction = std::max(at, T(0)) - T(low);
  }

  bool inside;  ///< Samples outside are 0.
  int64_t low = 0, high = 0;
  T fraction = 0;
};

/// For each bin of an axis, the pixels that its samples are interpolated from, in order, with the sums of their
/// weights.
template <class T>
class RoiTaps {
 public:
  /// The bytes of memory for `bins` bins over `pixels` pixels.
  static int64_t bytes(int64_t bins, int64_t pixels) {
    const int64_t entries = checked_mul(bins, checked_add(pixels, 1));
    return checked_add(checked_mul(entries, sizeof(int64_t)), checked_mul(entries, sizeof(T)) / 8 * 8 + 8);
  }

  RoiTaps(std::byte* memory, int64_t bins, int64_t pixels)
      : bins_(bins),
        pixels_(pixels),
        count_(reinterpret_cast<int64_t*>(memory)),
        index_(count_ + bins),
        weight_(reinterpret_cast<T*>(index_ + bins * pixels)) {}

  void fill(const RoiBins<T>& bins, Checkpoints& checkpoints) {
    first_ = pixels_;
    last_ = 0;
    size_ = 0;
    for (int64_t bin = 0; bin < bins_; ++bin) {
      fill_bin(bins, bin);
      checkpoints.add(bins.samples + pixels_);
    }
  }

  struct Bin {
    int64_t count;
    const int64_t* index;
    const T* weight;
  };
  Bin of(int64_t bin) const { return {count_[bin], &index_[bin * pixels_], &weight_[bin * pixels_]}; }
  /// All taps are in [first(), last()). The range is empty if there are no taps.
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }
  /// The number of taps of all bins.
  int64_t size() const { return size_; }

 private:
  void fill_bin(const RoiBins<T>& bins, int64_t bin) {
    int64_t* const index = index_ + bin * pixels_;
    T* const weight = weight_ + bin * pixels_;
    int64_t first = pixels_, last = 0, count = 0;
    std::fill_n(weight, pixels_, T(0));
    for (int64_t s = 0; s < bins.samples; ++s) {
      const RoiSample<T> sample(bins.at(bin, s), pixels_);
      if (!sample.inside) continue;
      weight[sample.low] += 1 - sample.fraction;
      weight[sample.high] += sample.fraction;
      first = std::min(first, sample.low);
      last = std::max(last, sample.high + 1);
    }
    for (int64_t pixel = first; pixel < last; ++pixel) {
      if (weight[pixel] == 0) continue;
      index[count] = pixel;
      weight[count++] = weight[pixel];
    }
    count_[bin] = count;
    size_ += count;
    first_ = std::min(first_, first);
    last_ = std::max(last_, last);
  }

  int64_t bins_, pixels_;
  int64_t* count_;
  int64_t* index_;
  T* weight_;
  int64_t first_ = 0, last_ = 0, size_ = 0;
};

}  // namespace linnet
