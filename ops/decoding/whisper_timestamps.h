#pragma once

#include <limits>
#include <span>

#include "linnet/node_spec.h"

namespace linnet {

/// The score of a token that a rule forbids.
inline constexpr float kForbidden = std::numeric_limits<float>::lowest();

/// Tokens of Whisper's vocabulary: text, then the end, tokens for tasks, and timestamps, which are the last ones.
struct WhisperTokens {
  /// Throws Error(kModel) where the model does not name one of them.
  explicit WhisperTokens(const NodeSpec& node);

  int32_t end, start, translate, transcribe, start_of_lm, no_timestamps, first_timestamp;
};

/// Forbids what Whisper may not say next where it says when it heard what: timestamps come in pairs and never decrease,
/// the first is among the first 51, and where one is more probable than any text, one comes.
/// scores: log probabilities; forbidden ones are the lowest float.
/// Source: ApplyTimestampRules of https://github.com/openai/whisper/blob/main/whisper/decoding.py
void apply_timestamp_rules(const WhisperTokens& named, std::span<const int32_t> tokens, std::span<float> scores);

}  // namespace linnet
