#pragma once

#include <memory>

#include "graph/graph.h"
#include "linnet/op.h"

namespace linnet {

/// The bodies of a search, and what their inputs and outputs are, which count by position. "Self" are keys and values
/// of the tokens so far, of all layers; "cross" those of what the encoder reads.
///
/// GPT-2: decoder (input_ids, position_ids, attention_mask, self...) -> (logits, self...); a self is
/// [2, batch, heads, length, size]. `first`, init_decoder, takes and gives the same, for the prompt.
///
/// T5, Whisper: `first`, encoder (encoder_input_ids, [encoder_attention_mask,] [decoder_input_ids]) -> ([logits,
/// encoder_hidden_states, self...,] cross...), where the brackets about decoder_input_ids and those of the outputs go
/// together. decoder (input_ids, [encoder_attention_mask,] [encoder_hidden_states,] self..., cross...) -> (logits,
/// self...); a self or cross is [batch, heads, length, size]. Whisper has no encoder_attention_mask.
struct SearchBodies {
  enum class Kind { kGpt, kT5, kWhisper };

  explicit SearchBodies(const NodeSpec& node);

  Kind kind;
  std::shared_ptr<const Graph> decoder, first;  // first: nullptr where there is none
  size_t captures;
  size_t selves = 0;            // how many selves
  bool encoder_starts = false;  // the encoder gives logits for the first tokens
  bool hidden_states = false;   // the decoder takes encoder_hidden_states
  bool whole_sequence = false;  // the decoder takes all tokens, not the last ones only

  bool has_encoder() const { return kind != Kind::kGpt; }
  /// Where an encoder's or decoder's input begins.
  size_t first_self() const { return 1 + (kind == Kind::kT5 ? 1 : 0) + (hidden_states ? 1 : 0); }
  /// Self i without a token. Throws Error(kModel) where the model declares no number of heads or no size.
  Tensor empty_self(size_t i, int64_t batch) const;
  DType self_dtype(size_t i) const;

 private:
  void check_gpt();
  void check_encoder_decoder();
};

}  // namespace linnet
