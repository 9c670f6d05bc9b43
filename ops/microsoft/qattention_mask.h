#pragma once

#include "expansion/expansion.h"

namespace linnet {

/// What an attention mask depends on.
struct AttentionMaskRule {
  ValueId mask;      ///< int32
  ValueId input;     ///< [batch, length, ...]
  ValueId past;      ///< [2, batch, heads, past, size]; kNoValue
  float disallowed;  ///< is added to the score of a key that must not be attended
};

/// The float32 mask of Attention for the mask_index of com.microsoft, which is one of
/// [batch]: the end of each sample's keys; [2 * batch]: the ends, then the starts; [batch, keys], [batch, length,
/// keys]: positive for keys that may be attended; [batch, 1, most, most]: the same for all positions of queries and
/// keys; [batch, 1] and [1, 1]: none, kNoValue. The expansion waits where the dims do not say which.
ValueId attention_mask(Expansion& graph, const AttentionMaskRule& rule);

}  // namespace linnet
