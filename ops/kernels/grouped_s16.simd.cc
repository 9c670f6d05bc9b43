#include "kernels/byte_vectors.h"
#include "kernels/fold.h"
#include "kernels/grouped.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int kChannels = 2 * kLanes;  // channels of a block

bool supports(int64_t width) { return (width == 2 || width == 4 || width == 8 || width == 16) && width <= kChannels; }

/// The output channels of a block, in two vectors. Before interleave(), one vector has the even channels and one the
/// odd ones.
struct Outputs {
  I32 low, high;
};
template <int... J>
[[gnu::always_inline]] inline Outputs interleave(I32 even, I32 odd, std::integer_sequence<int, J...>) {
  return {shuffle(even, odd, std::integer_sequence<int, (J / 2 + J % 2 * kLanes)...>()),
          shuffle(even, odd, std::integer_sequence<int, ((kLanes + J) / 2 + J % 2 * kLanes)...>())};
}

/// n: the number of channels that exist in the block.
inline void store(const Outputs& y, const int32_t* bias, int64_t n, int32_t* to) {
  const auto one = [&](I32 value, int64_t at) {
    if (at + kLanes <= n) {
      (bias ? value + I32::load_unaligned(bias + at) : value).store_unaligned(to + at);
    } else if (at < n) {
      store_part(to + at, bias ? value + load_part(bias + at, n - at) : value, n - at);
    }
  };
  one(y.low, 0);
  one(y.high, kLanes);
}

/// Computes one block of channels of some rows. Width is 16 where the sums of both halves may not fit into registers.
template <int Width>
class Block {
  static constexpr int kPairs = Width / 2, kTapValues = Width * kChannels;
  static constexpr int kHalves = Width < 16 || kRegisters == 32 ? 2 : 1;  // halves that are summed together
  static constexpr int kSums = kHalves * kPairs;

 public:
  static constexpr int kRows = (kRegisters == 32 ? 24 : 12) / kSums;

  Block(const GroupedPairs& job, int64_t channel)
      : job_(job), channel_(channel), w_(job.w + channel / kChannels * job.taps * kTapValues) {}

  /// Computes the rows from this one on, R at a time, then fewer at a time.
  template <int R>
  void rows(int64_t row) const {
    for (; row + R <= job_.rows; row += R) some_rows<R>(row);
    if constexpr (R > 1) rows<R / 2>(row);
  }

 private:
  template <int R>
  void some_rows(int64_t row) const {
    I32 half[2][R];
    LINNET_UNROLL for (int h = 0; h < 2; h += kHalves) {
      I32 sum[R][kSums];
      add_taps<R>(row, h, sum);
      LINNET_UNROLL for (int i = 0; i < R; ++i) {
        LINNET_UNROLL for (int s = 0; s < kHalves; ++s) half[h + s][i] = fold<kPairs>(sum[i] + s * kPairs);
      }
    }
    const int64_t pitch = job_.channel_end - job_.channel;
    LINNET_UNROLL for (int i = 0; i < R; ++i) {
      store(interleave(half[0][i], half[1][i], std::make_integer_sequence<int, kLanes>()),
            job_.bias ? job_.bias + channel_ : nullptr, job_.channel_end - channel_,
            job_.sums + (row + i) * pitch + channel_ - job_.channel);
    }
  }

  /// Inputs are not spread over lanes. Each is multiplied by weights of its group's output channels in turn.
  template <int R>
  [[gnu::always_inline]] void add_taps(int64_t row, int h, I32 (&sum)[R][kSums]) const {
    LINNET_UNROLL for (int i = 0; i < R; ++i) { LINNET_UNROLL for (int r = 0; r < kSums; ++r) sum[i][r] = I32(0); }
    const int16_t* w = w_ + h * kPairs * kChannels;
    const int16_t* const* address = job_.x + row;
    for (int64_t t = 0; t < job_.taps; ++t, w += kTapValues, address += job_.rows) {
      I32 x[R];
      LINNET_UNROLL for (int i = 0; i < R; ++i) x[i] = load_pairs(address[i] + channel_);
      LINNET_UNROLL for (int r = 0; r < kSums; ++r) {
        const I32 weights = load_pairs(w + r * kChannels);
        LINNET_UNROLL for (int i = 0; i < R; ++i) sum[i][r] = multiply_add_pairs(x[i], weights, sum[i][r]);
      }
    }
  }
  static I32 load_pairs(const int16_t* x) { return I32::load_unaligned(reinterpret_cast<const int32_t*>(x)); }

  const GroupedPairs& job_;
  int64_t channel_;
  const int16_t* w_;
};

template <int Width>
void blocks(const GroupedPairs& job) {
  for (int64_t channel = job.channel; channel < job.channel_end; channel += kChannels) {
    Block<Width>(job, channel).template rows<Block<Width>::kRows>(0);
  }
}

void sums(const GroupedPairs& job) {
  switch (job.width) {
    case 2:
      return blocks<2>(job);
    case 4:
      return blocks<4>(job);
    case 8:
      return blocks<8>(job);
    default:
      if constexpr (kChannels >= 16) blocks<16>(job);
  }
}

}  // namespace

void fill(GroupedPairsKernels& kernels);

void fill(GroupedPairsKernels& kernels) { kernels = {kChannels, supports, sums}; }

}  // namespace linnet::LINNET_SIMD_NS
