#pragma once

#include <memory>

#include "graph/graph.h"
#include "linnet/op.h"

namespace linnet {

/// The bodies of a search, with their inputs and outputs in order. "Self" are keys and values of the tokens so far, for
/// all layers; "cross" are those of the encoder's input.
///
/// GPT-2: decoder (input_ids, position_ids, attention_mask, self...) -> (logits, self...), where a self is [2, batch,
/// heads, length, size]. `first` is init_decoder, which has the same inputs and outputs, for the prompt.
///
/// T5, Whisper: `first` is encoder (encoder_input_ids, [encoder_attention_mask,] [decoder_input_ids]) -> ([logits,
/// encoder_hidden_states, self...,] cross...), where decoder_input_ids requires the outputs in brackets, and vice
/// versa. decoder (input_ids, [encoder_attention_mask,] [encoder_hidden_states,] self..., cross...) -> (logits,
/// self...), where a self or cross is [batch, heads, length, size]. Whisper has no encoder_attention_mask.
struct SearchBodies {
  enum class Kind { kGpt, kT5, kWhisper };

  explicit SearchBodies(const NodeSpec& node);

  Kind kind;
  std::shared_ptr<const Graph> decoder, first;  // first: nullptr if absent
  size_t captures;
  size_t selves = 0;            // number of selves
  bool encoder_starts = false;  // whether the encoder computes logits for the first tokens
  bool hidden_states = false;   // whether the decoder has the input encoder_hidden_states
  bool whole_sequence = false;  // whether the decoder's input is all tokens, not only the last ones

  bool has_encoder() const { return kind != Kind::kGpt; }
  /// The index of the first self among the inputs of the decoder.
  size_t first_self() const { return 1 + (kind == Kind::kT5 ? 1 : 0) + (hidden_states ? 1 : 0); }
  /// Self i without tokens. Throws Error(kModel) if the model does not declare the number of heads or their size.
  Tensor empty_self(size_t i, int64_t batch) const;
  DType self_dtype(size_t i) const;

 private:
  void check_gpt();
  void check_encoder_decoder();
};

}  // namespace linnet
