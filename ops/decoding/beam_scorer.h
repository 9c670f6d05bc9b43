#pragma once

#include <span>

#include "decoding/sequences.h"
#include "linnet/tensor.h"

namespace linnet {

/// Tracks the best sequences of every prompt in a beam search. A token that ends a sequence removes it from the beam.
/// Source: https://huggingface.co/docs/transformers/internal/generation_utils#transformers.BeamSearchScorer
class BeamScorer {
 public:
  struct Rules {
    bool early_stopping = false;  ///< a prompt is done once it has as many ended sequences as beams
    float length_penalty = 1;     ///< a sequence's score is the sum of its log probabilities / length^length_penalty
    int32_t eos_token_id = 0, pad_token_id = 0;
  };

  BeamScorer(const Rules& rules, int64_t batch, int64_t beams);

  /// Adds the accumulated score of each row to the log probabilities of its next tokens: [rows, vocabulary].
  void accumulate(std::span<float> scores) const;
  /// Picks tokens by the results of accumulate(), with a vocabulary of at least 2 tokens; NaN counts as the lowest.
  void pick(std::span<const float> scores, const Sequences& sequences);
  /// The results of the last pick(): the row that each row continues, and the token that it appends.
  std::span<const int64_t> rows() const { return rows_; }
  std::span<const int32_t> tokens() const { return tokens_; }
  /// Whether no prompt can get better sequences.
  bool done() const { return open_ == 0; }

  /// Ends all sequences.
  void finish(const Sequences& sequences);
  /// The best sequences of each prompt, padded: int32 [batch, best, length].
  void write_sequences(Tensor& result) const;
  /// The scores of these sequences: [batch, best], float32 or float16; does nothing for an empty tensor.
  void write_scores(Tensor& result) const;

 private:
  struct Candidate {
    float score;
    int64_t index;  // beam * vocabulary + token
  };
  struct Ended {
    float score;
    CountedVector<int32_t> tokens;
  };
  struct Prompt {
    CountedVector<Ended> ended;  // best first, at most as many as beams
    bool done = false;
  };

  static bool better(const Candidate& a, const Candidate& b);
  void find_candidates(std::span<const float> scores, Checkpoints& checkpoints);
  void pick_for(int64_t prompt, int64_t vocabulary, const Sequences& sequences);
  void skip(int64_t prompt);
  void end(Prompt& prompt, std::span<const int32_t> tokens, float sum);
  float score(float sum, int64_t length) const;

  Rules rules_;
  int64_t batch_, beams_, open_;
  CountedVector<Prompt> prompts_;
  CountedVector<Candidate> candidates_;  // of one prompt, sorted by score
  CountedVector<float> sums_;
  CountedVector<int64_t> rows_;
  CountedVector<int32_t> tokens_;
};

}  // namespace linnet
