#pragma once

// Included by depthwise_u8.*simd.cc only: sums over columns, whose values are adjacent in the lanes of vectors. `Unit`
// defines the number of values in a lane, gathers them and multiplies them.
#include "kernels/byte_vectors.h"
#include "kernels/depthwise_u8.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <class Unit>
class DepthwiseLine {
 public:
  explicit DepthwiseLine(const DepthwiseBytes& job)
      : job_(job),
        whole_vectors_(job.channels / kLanes),
        last_channels_(job.channels % kLanes),
        columns_(reinterpret_cast<int32_t*>(job.scratch)),
        pitch_(job.units * kLanes) {}

  void run() const {
    const bool square = job_.taps == job_.values && job_.dilation == 1 && job_.stride <= 2;
    if (square && job_.taps == 3) return slide<3>();
    if (square && job_.taps == 5) return slide<5>();
    gather_columns();
    for_vectors([&]<bool kPart>(int64_t v) { all_pixels<kMostPixels, kPart>(v, 0); });
  }

 private:
  static constexpr int kMostPixels = 8;
  static constexpr int kValues = Unit::kValues;

  /// Calls f<false>(v) for whole vectors of channels and f<true>(v) for a partial one.
  template <class F>
  void for_vectors(const F& f) const {
    for (int64_t v = 0; v < whole_vectors_; ++v) f.template operator()<false>(v);
    if (last_channels_ > 0) f.template operator()<true>(whole_vectors_);
  }

  /// Gathers the values of a unit, or its only value where kOne.
  template <bool kOne, bool kPart>
  I32 gather(const uint8_t* const (&x)[kValues]) const {
    if constexpr (kPart) {
      uint8_t part[kValues][kLanes];
      const uint8_t* from[kValues];
      LINNET_UNROLL for (int i = 0; i < (kOne ? 1 : kValues); ++i) {
        copy_part(part[i], x[i], last_channels_);
        from[i] = part[i];
      }
      return gather<kOne, false>(from);
    }
    return kOne ? Unit::gather_one(x[0]) : Unit::gather(x);
  }

  void store_sum(int64_t v, int64_t i, I32 sum, bool part) const {
    int32_t* y = job_.sums + i * job_.channels + v * kLanes;
    part ? store_part(y, sum, last_channels_) : sum.store_unaligned(y);
  }

  template <int kTaps>
  void slide() const {
    for_vectors([&]<bool kPart>(int64_t v) {
      job_.stride == 1 ? Slide<kTaps, 1, kPart>(*this, v).run() : Slide<kTaps, 2, kPart>(*this, v).run();
    });
  }

  /// Computes windows of kTaps x kTaps. The sums of all pixels to which a column contributes stay in registers.
  template <int kTaps, int kStride, bool kPart>
  class Slide {
   public:
    Slide(const DepthwiseLine& line, int64_t v)
        : line_(line),
          v_(v),
          begin_(I32::load_unaligned(line.job_.begin + v * kLanes)),
          x_(line.job_.x),
          row_(line.job_.columns),
          channel_(line.job_.channel + v * kLanes) {
      const auto* w = reinterpret_cast<const int32_t*>(line.job_.w) + channel_ * kTaps * kUnits;
      LINNET_UNROLL for (int i = 0; i < kTaps * kUnits; ++i) w_[i] = I32::load_unaligned(w + i * kLanes);
    }

    void run() const {
      const int64_t pixels = line_.job_.pixels;
      I32 sum[kBegun + 1];  // of pixel i and the next ones
      LINNET_UNROLL for (int j = 0; j < kBegun; ++j) sum[j] = begin_;
      LINNET_UNROLL for (int c = 0; c < kTaps - kStride; ++c) add(column(c), c, sum);
      for (int64_t i = 0; i < pixels; ++i) {
        sum[kBegun] = begin_;
        LINNET_UNROLL for (int c = kTaps - kStride; c < kTaps; ++c) add(column(i * kStride + c), c, sum);
        line_.store_sum(v_, i, sum[0], kPart);
        LINNET_UNROLL for (int j = 0; j < kBegun; ++j) sum[j] = sum[j + 1];
      }
    }

   private:
    static constexpr int kUnits = (kTaps + kValues - 1) / kValues;
    static constexpr int kBegun = (kTaps - 1) / kStride;  // pixels whose sums are in progress

    struct Column {
      I32 unit[kUnits];
    };
    [[gnu::always_inline]] Column column(int64_t c) const {
      Column column;
      LINNET_UNROLL for (int u = 0; u < kUnits; ++u) {
        const uint8_t* from[kValues];
        LINNET_UNROLL for (int i = 0; i < kValues; ++i) from[i] = x_[(u * kValues + i) * row_ + c] + channel_;
        column.unit[u] = u * kValues + 1 == kTaps ? line_.template gather<true, kPart>(from)
                                                  : line_.template gather<false, kPart>(from);
      }
      return column;
    }
    /// Adds column c of the window of sum[0] to all sums that contain it.
    [[gnu::always_inline]] void add(const Column& x, int c, I32 (&sum)[kBegun + 1]) const {
      LINNET_UNROLL for (int j = 0; j * kStride <= c; ++j) {
        LINNET_UNROLL for (int u = 0; u < kUnits; ++u) {
          sum[j] = Unit::multiply_add(sum[j], x.unit[u], w_[(c - j * kStride) * kUnits + u]);
        }
      }
    }

    const DepthwiseLine& line_;
    int64_t v_;
    I32 begin_, w_[kTaps * kUnits];
    const uint8_t* const* x_;
    int64_t row_, channel_;
  };

  int64_t vector_pitch() const { return job_.columns * pitch_; }

  /// Gathers the columns as [vector][column][unit].
  void gather_columns() const {
    const int64_t units = job_.units, columns = job_.columns;
    for (int64_t u = 0; u < units; ++u) {
      const bool one = job_.values - u * kValues == 1;
      for (int64_t c = 0; c < columns; ++c) one ? gather_unit<true>(u, c) : gather_unit<false>(u, c);
    }
  }

  template <bool kOne>
  void gather_unit(int64_t u, int64_t c) const {
    const uint8_t* x[kValues];
    const uint8_t* const* first = job_.x + u * kValues * job_.columns + c;
    LINNET_UNROLL for (int i = 0; i < kValues; ++i) x[i] = first[i * job_.columns] + job_.channel;
    int32_t* to = columns_ + c * pitch_ + u * kLanes;
    // Stores may alias members for all the compiler knows, so loops read copies.
    const int64_t step = vector_pitch(), end = whole_vectors_;
    for (int64_t v = 0; v < end; ++v, to += step) {
      gather<kOne, false>(x).store_aligned(to);
      LINNET_UNROLL for (int i = 0; i < kValues; ++i) x[i] += kLanes;
    }
    if (last_channels_ > 0) gather<kOne, true>(x).store_aligned(to);
  }

  /// Computes the pixels from i on, P at a time, then fewer at a time.
  template <int P, bool kPart>
  void all_pixels(int64_t v, int64_t i) const {
    for (const int64_t end = job_.pixels - P; i <= end; i += P) pixels<P, kPart>(v, i);
    if constexpr (P > 1) all_pixels<P / 2, kPart>(v, i);
  }

  template <int P, bool kPart>
  void pixels(int64_t v, int64_t i) const {
    const int64_t step = job_.stride * pitch_;
    const I32 begin = I32::load_unaligned(job_.begin + v * kLanes);
    I32 sum[P];
    LINNET_UNROLL for (int p = 0; p < P; ++p) sum[p] = begin;
    // Without dilation the taps of a window are contiguous, like their weights.
    const bool dense = job_.dilation == 1;
    const int64_t parts = dense ? 1 : job_.taps, values = dense ? job_.taps * pitch_ : pitch_;
    const int32_t* x = columns_ + v * vector_pitch() + i * step;
    const auto* w = reinterpret_cast<const int32_t*>(job_.w) + (job_.channel + v * kLanes) * job_.taps * job_.units;
    for (int64_t part = 0; part < parts; ++part, x += job_.dilation * pitch_, w += values) {
      for (int64_t k = 0; k < values; k += kLanes) {
        const I32 weights = I32::load_unaligned(w + k);
        LINNET_UNROLL for (int p = 0; p < P; ++p) {
          sum[p] = Unit::multiply_add(sum[p], I32::load_aligned(x + p * step + k), weights);
        }
      }
    }
    LINNET_UNROLL for (int p = 0; p < P; ++p) store_sum(v, i + p, sum[p], kPart);
  }

  const DepthwiseBytes& job_;
  int64_t whole_vectors_, last_channels_;
  int32_t* columns_;
  int64_t pitch_;
};

template <class Unit>
void depthwise_sums(const DepthwiseBytes& job) {
  DepthwiseLine<Unit>(job).run();
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
