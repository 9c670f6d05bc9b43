#pragma once

#include <span>

#include "decoding/sequences.h"
#include "linnet/tensor.h"

namespace linnet {

/// Keeps the best sequences of every prompt: a beam search in which a token that ends a sequence takes it out of the
/// beam. Source: https://huggingface.co/docs/transformers/internal/generation_utils#transformers.BeamSearchScorer
class BeamScorer {
 public:
  struct Rules {
    bool early_stopping = false;  ///< a prompt is done with as many ended sequences as beams, whatever could be better
    float length_penalty = 1;     ///< a sequence's score is the sum of its log probabilities / length^length_penalty
    int32_t eos_token_id = 0, pad_token_id = 0;
  };

  BeamScorer(const Rules& rules, int64_t batch, int64_t beams);

  /// Adds what each row has gathered to the log probabilities of its next tokens: [rows, vocabulary].
  void accumulate(std::span<float> scores) const;
  /// Picks from what accumulate() made, at least 2 tokens a row; NaN counts as the lowest.
  void pick(std::span<const float> scores, const Sequences& sequences);
  /// By the last pick(): which row each row continues, and with which token.
  std::span<const int64_t> rows() const { return rows_; }
  std::span<const int32_t> tokens() const { return tokens_; }
  /// No prompt can get better sequences.
  bool done() const { return open_ == 0; }

  /// Ends all sequences.
  void finish(const Sequences& sequences);
  /// The best sequences of each prompt, padded: int32 [batch, best, length].
  void write_sequences(Tensor& result) const;
  /// Their scores: [batch, best], float32 or float16; a tensor without elements is left.
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
    CountedVector<Ended> ended;  // best first, as many as there are beams at most
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
  CountedVector<Candidate> candidates_;  // of one prompt, best first
  CountedVector<float> sums_;
  CountedVector<int64_t> rows_;
  CountedVector<int32_t> tokens_;
};

}  // namespace linnet
