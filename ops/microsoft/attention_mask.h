#pragma once

#include "expansion/expansion.h"

namespace linnet {

/// What an attention mask depends on.
struct AttentionMaskRule {
  std::string name;
  ValueId mask;      ///< int32
  ValueId queries;   ///< [batch, length, ...]
  ValueId past;      ///< how many keys stand before those of the queries, int64 [1]
  ValueId keys;      ///< how many there are, int64 [1]
  float disallowed;  ///< is added to the score of a key that must not be attended
};

/// The float32 mask of Attention for a mask of com.microsoft, which is one of
/// [batch]: the end of each sample's keys; [2 * batch]: the ends, then the starts; [3 * batch + 2]: the ends, then
/// where the samples' queries and keys begin when they lie without padding, which is not read; [batch, keys], [batch,
/// length, keys]: positive for keys that may be attended; [batch, 1, most, most]: the same for all positions of queries
/// and keys; [batch, 1] and [1, 1]: none, kNoValue. The expansion waits where the dims do not say which.
ValueId attention_mask(Expansion& graph, const AttentionMaskRule& rule);

}  // namespace linnet
