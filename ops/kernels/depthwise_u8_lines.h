#pragma once

// Included by depthwise_u8.*simd.cc only: sums over columns, whose values lie side by side in the lanes of vectors.
// `Unit` says how many values a lane holds, gathers them and multiplies them.
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
    for (int64_t u = 0; u < job_.units; ++u) {
      for (int64_t c = 0; c < job_.columns; ++c) gather(u, c);
    }
    for (int64_t v = 0; v < whole_vectors_; ++v) all_pixels<false>(v);
    if (last_channels_ > 0) all_pixels<true>(whole_vectors_);
  }

 private:
  static constexpr int kPixels = kRegisters == 32 ? 8 : 4;

  int32_t* columns_of(int64_t v) const { return columns_ + v * job_.columns * pitch_; }

  /// A unit of a column: [vector][column][unit].
  void gather(int64_t u, int64_t c) const {
    const uint8_t* x[Unit::kValues];
    const uint8_t* const* first = job_.x + u * Unit::kValues * job_.columns + c;
    LINNET_UNROLL for (int i = 0; i < Unit::kValues; ++i) x[i] = first[i * job_.columns] + job_.channel;
    for (int64_t v = 0; v < whole_vectors_; ++v) {
      Unit::gather(x).store_aligned(columns_of(v) + c * pitch_ + u * kLanes);
      LINNET_UNROLL for (int i = 0; i < Unit::kValues; ++i) x[i] += kLanes;
    }
    if (last_channels_ == 0) return;
    uint8_t part[Unit::kValues][kLanes];
    LINNET_UNROLL for (int i = 0; i < Unit::kValues; ++i) {
      copy_part(part[i], x[i], last_channels_);
      x[i] = part[i];
    }
    Unit::gather(x).store_aligned(columns_of(whole_vectors_) + c * pitch_ + u * kLanes);
  }

  template <bool kPart>
  void all_pixels(int64_t v) const {
    int64_t i = 0;
    for (; i + kPixels <= job_.pixels; i += kPixels) pixels<kPixels, kPart>(v, i);
    if (kPixels > 4 && i + 4 <= job_.pixels) {
      pixels<4, kPart>(v, i);
      i += 4;
    }
    for (; i < job_.pixels; ++i) pixels<1, kPart>(v, i);
  }

  template <int P, bool kPart>
  void pixels(int64_t v, int64_t i) const {
    const int64_t step = job_.stride * pitch_;
    const I32 begin = I32::load_unaligned(job_.begin + v * kLanes);
    I32 sum[P];
    LINNET_UNROLL for (int p = 0; p < P; ++p) sum[p] = begin;
    const int32_t* x = columns_of(v) + i * step;
    const auto* w = reinterpret_cast<const int32_t*>(job_.w) + (job_.channel + v * kLanes) * job_.taps * job_.units;
    for (int64_t t = 0; t < job_.taps; ++t, x += job_.dilation * pitch_) {
      for (int64_t u = 0; u < pitch_; u += kLanes, w += kLanes) {
        const I32 weights = I32::load_unaligned(w);
        LINNET_UNROLL for (int p = 0; p < P; ++p) {
          sum[p] = Unit::multiply_add(sum[p], I32::load_aligned(x + u + p * step), weights);
        }
      }
    }
    int32_t* y = job_.sums + i * job_.channels + v * kLanes;
    LINNET_UNROLL for (int p = 0; p < P; ++p) {
      if constexpr (kPart) {
        store_part(y + p * job_.channels, sum[p], last_channels_);
      } else {
        sum[p].store_unaligned(y + p * job_.channels);
      }
    }
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
