#pragma once

#include <span>

#include "decoding/search_inputs.h"
#include "decoding/sequences.h"
#include "decoding/whisper_timestamps.h"
#include "kernels/softmax.h"

namespace linnet {

/// The scores of next tokens: logits changed by the rules of a search. A token that a rule forbids has the lowest
/// finite score.
class NextScores {
 public:
  /// log_softmax: converts logits to scores before the rules; nullptr: logits are the scores.
  NextScores(const SearchAttributes& attributes, const SearchInputs& inputs, int64_t batch,
             SoftmaxKernels::Rows log_softmax = nullptr);

  float temperature = 1;                      ///< scores are divided by it
  float presence_penalty = 0;                 ///< subtracted where presence_mask is 1
  const WhisperTokens* timestamps = nullptr;  ///< for apply_timestamp_rules(); nullptr: not applied

  /// Computes scores for all rows of `sequences` from the logits at the last position: [rows, or batch in the first
  /// step, length, vocabulary], float32 or float16. Throws Error(kType) or Error(kShape) for others.
  void update(const Tensor& logits, const Sequences& sequences, Executor& executor);

  int64_t vocabulary() const { return vocabulary_; }
  std::span<float> all() { return scores_; }
  std::span<float> row(int64_t i) { return {scores_.data() + i * vocabulary_, size_t(vocabulary_)}; }

 private:
  void begin(const Tensor& logits, const Sequences& sequences);
  void apply_rules(std::span<float> scores, std::span<const int32_t> tokens, int64_t prompt,
                   Checkpoints& checkpoints) const;
  void penalize_repetition(std::span<float> scores, std::span<const int32_t> tokens, Checkpoints& checkpoints) const;
  void forbid_ngrams(std::span<float> scores, std::span<const int32_t> tokens, Checkpoints& checkpoints) const;

  const SearchAttributes& attributes_;
  const SearchInputs& inputs_;
  int64_t batch_;
  SoftmaxKernels::Rows log_softmax_;
  int64_t min_length_;
  float repetition_penalty_;
  std::span<const int32_t> vocab_mask_, prefix_vocab_mask_, presence_mask_;
  int64_t vocabulary_ = 0;
  bool first_step_ = true;
  CountedVector<float> scores_;
};

}  // namespace linnet
