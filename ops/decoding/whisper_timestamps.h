#pragma once

#include <limits>
#include <span>

#include "linnet/node_spec.h"

namespace linnet {

/// The score of a token that a rule forbids.
inline constexpr float kForbidden = std::numeric_limits<float>::lowest();

/// Special tokens of Whisper's vocabulary, which consists of text, the end, tokens for tasks, and timestamps, in this
/// order.
struct WhisperTokens {
  /// Throws Error(kModel) if the model does not specify one of them.
  explicit WhisperTokens(const NodeSpec& node);

  int32_t end, start, translate, transcribe, start_of_lm, no_timestamps, first_timestamp;
};

/// Forbids tokens that violate the order of Whisper's timestamps: they come in pairs and never decrease, the first one
/// is among the first 51, and a timestamp follows if timestamps are more probable than any text.
/// scores: log probabilities; forbidden ones become the lowest float.
/// Source: ApplyTimestampRules of https://github.com/openai/whisper/blob/main/whisper/decoding.py
void apply_timestamp_rules(const WhisperTokens& named, std::span<const int32_t> tokens, std::span<float> scores);

}  // namespace linnet
