#pragma once

#include "attention/attention_geometry.h"
#include "kernels/forms.h"
#include "linnet/op.h"
#include "partition/checkpoints.h"

namespace linnet {

struct AttentionKernels;
struct SoftmaxKernels;

/// The contents of the fourth output of Attention.
enum class ScoreOutput { kNone = -1, kProducts = 0, kCapped = 1, kBiased = 2, kProbabilities = 3 };

/// The parameters of an attention, in addition to its sizes.
struct AttentionRule {
  AttentionSizes sizes;
  double scale = 1;    ///< of the products of queries and keys
  double softcap = 0;  ///< s becomes softcap * tanh(s / softcap); 0: not capped
  AttentionWindow window;
  AttentionMask mask;
  std::array<bool, 2> present{};  ///< whether the joined keys, and values, are outputs
  ScoreOutput output = ScoreOutput::kNone;
  bool double_softmax = false;    ///< for float32 scores
  bool head_sink = false;         ///< every softmax has an additional score without a key
  bool nan_without_keys = false;  ///< a query without any key gives NaN, not zeros

  /// The keys that queries [begin, end) may attend, or a superset: all keys if the scores are an output.
  KeyRange keys_of(int64_t begin, int64_t end, int64_t offset, int64_t keys) const;
};

/// The inputs and outputs of Attention.
struct AttentionSlots {
  static constexpr int kQ = 0, kK = 1, kV = 2, kMask = 3, kPastKey = 4, kPastValue = 5, kKeyCounts = 6,
                       kQueryPositions = 7, kHeadSink = 8;
  static constexpr int kY = 0, kPresentKey = 1, kPresentValue = 2, kScores = 3;
};

/// The number of a sample's keys that are not padding, and the position of its first query.
struct AttentionSample {
  int64_t keys;
  int64_t offset;
};
AttentionSample attention_sample(const KernelContext& context, const AttentionSizes& sizes, int64_t b);
/// Throws Error(kShape) if a count of valid keys or the position of a first query is not in [0, kv_length].
void check_samples(const KernelContext& context, const AttentionSizes& sizes);

/// Scores of consecutive queries: rows of all keys at distances of `pitch` values, computed for the keys `known`.
template <class C>
struct ScoreBlock {
  int64_t b, h;
  int64_t first, count;  ///< queries
  KeyRange known;
  C* scores;
  int64_t pitch;

  C* row(int64_t i) const { return scores + (i - first) * pitch; }
};

/// Converts scores to probabilities; C is float or double. Rows without any allowed key become zeros, or NaN.
template <class C>
class ScoreRows {
 public:
  ScoreRows(const AttentionRule& rule, Isa isa);

  /// Converts the known scores to probabilities. buffer: kv_length values.
  void finish(KernelContext& context, const ScoreBlock<C>& block, C* buffer, Checkpoints& checkpoints) const;

 private:
  /// A mask's values for some keys, which the next query may share.
  struct Bias {
    KeyRange keys;
    const C* values = nullptr;
  };

  /// Copies row i to the output of scores, with `unknown` for keys that are not known.
  void copy_to_output(KernelContext& context, const ScoreBlock<C>& block, int64_t i, C unknown) const;
  /// The keys that query i may attend, apart from the mask's values; an empty range ends where the known keys do.
  KeyRange allowed_keys(const AttentionSample& sample, const ScoreBlock<C>& block, int64_t i) const;
  /// Adds the mask to the scores of `keys`; returns false if no key is left.
  bool add_mask(const Tensor& mask, const ScoreBlock<C>& block, int64_t i, const KeyRange& keys, Bias& bias,
                C* buffer) const;
  /// Sets the known scores of row i outside of `keys`.
  void fill_outside(const KeyRange& keys, const ScoreBlock<C>& block, int64_t i, C value) const;
  void cap(C* x, int64_t n) const;
  /// Adds the bias and returns its maximum.
  C add_bias(C* x, const C* bias, int64_t n) const;
  /// Converts the scores of `keys`, which are not empty, to probabilities for the queries [begin, end).
  void share(const KernelContext& context, const ScoreBlock<C>& block, int64_t begin, int64_t end,
             const KeyRange& keys) const;
  /// The softmax of rows of n values.
  void softmax(C* x, int64_t rows, int64_t n, int64_t pitch) const;

  const AttentionRule& rule_;
  UnaryForm scale_, tanh_;
  const AttentionKernels& attention_;
  const SoftmaxKernels& softmax_;
};

}  // namespace linnet
