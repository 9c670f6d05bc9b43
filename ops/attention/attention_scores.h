#pragma once

#include "attention/attention_geometry.h"
#include "kernels/kernel_table.h"
#include "linnet/op.h"

namespace linnet {

/// Which values the fourth output of Attention holds.
enum class ScoreOutput { kNone = -1, kProducts = 0, kCapped = 1, kBiased = 2, kProbabilities = 3 };

/// What an attention is to compute, beyond its sizes.
struct AttentionRule {
  AttentionSizes sizes;
  double scale = 1;    ///< of the products of queries and keys
  double softcap = 0;  ///< s becomes softcap * tanh(s / softcap); 0: not capped
  AttentionWindow window;
  AttentionMask mask;
  std::array<bool, 2> present{};  ///< the joined keys, and values, are outputs
  ScoreOutput output = ScoreOutput::kNone;
  bool double_softmax = false;    ///< though scores are float32
  bool head_sink = false;         ///< every softmax has one score more, that of no key
  bool nan_without_keys = false;  ///< a query without any key gives NaN, not zeros

  /// The keys that queries [begin, end) may attend, or more: all of them where the scores are an output.
  KeyRange keys_of(int64_t begin, int64_t end, int64_t offset, int64_t keys) const;
};

/// The inputs and outputs of Attention.
struct AttentionSlots {
  static constexpr int kQ = 0, kK = 1, kV = 2, kMask = 3, kPastKey = 4, kPastValue = 5, kKeyCounts = 6,
                       kQueryPositions = 7, kHeadSink = 8;
  static constexpr int kY = 0, kPresentKey = 1, kPresentValue = 2, kScores = 3;
};

/// The part of a sample's keys that are no padding, and the position of its first query.
struct AttentionSample {
  int64_t keys;
  int64_t offset;
};
AttentionSample attention_sample(const KernelContext& context, const AttentionSizes& sizes, int64_t b);
/// Throws Error(kShape) where a count of valid keys or the position of a first query is not in [0, kv_length].
void check_samples(const KernelContext& context, const AttentionSizes& sizes);

/// Turns scores into probabilities, row by row; C is float or double. Rows without any allowed key become
/// zeros, or NaN.
template <class C>
class ScoreRows {
 public:
  ScoreRows(const AttentionRule& rule, const KernelTable& table) : rule_(rule), table_(table) {}

  /// scores: those of all keys for query i of head h, known for the keys `known`, which get their probabilities; one
  /// value behind them is written, too. buffer: kv_length values.
  void finish(KernelContext& context, int64_t b, int64_t h, int64_t i, const KeyRange& known, C* scores,
              C* buffer) const;

 private:
  struct Row {
    KernelContext& context;
    int64_t b, h, i;
    KeyRange known;
    C* scores;
  };

  /// Copies the row to the output of scores where that is to hold this stage; keys that are not known become `unknown`.
  void show(ScoreOutput stage, const Row& row, C unknown) const;
  /// Those that the query may attend, the mask's values apart; an empty range ends where the known keys do.
  KeyRange allowed_keys(const Row& row) const;
  /// Adds the mask to the scores of `keys`; false where no key is left.
  bool add_mask(const Row& row, const KeyRange& keys, C* buffer) const;
  /// Sets the known scores that are not of `keys`.
  void fill_outside(const KeyRange& keys, const Row& row, C value) const;
  void cap(C* x, int64_t n) const;
  /// Adds the bias; gives its maximum.
  C add_bias(C* x, const C* bias, int64_t n) const;
  /// Of the scores of `keys`, which are some.
  void share(const Row& row, const KeyRange& keys) const;
  void softmax(C* x, int64_t n) const;

  const AttentionRule& rule_;
  const KernelTable& table_;
};

}  // namespace linnet
