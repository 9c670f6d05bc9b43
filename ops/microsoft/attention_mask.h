#pragma once

#include "expansion/expansion.h"

namespace linnet {

/// The values that determine an attention mask.
struct AttentionMaskRule {
  std::string name;
  ValueId mask;      ///< int32
  ValueId queries;   ///< [batch, length, ...]
  ValueId past;      ///< the number of keys before those of the queries, int64 [1]
  ValueId keys;      ///< the number of keys, int64 [1]
  float disallowed;  ///< added to the score of a key that must not be attended
};

/// The float32 mask of Attention for a mask of com.microsoft, which has one of these shapes:
/// - [batch]: the end of each sample's keys,
/// - [2 * batch]: the ends, then the starts,
/// - [3 * batch + 2]: the ends, then the starts of the samples' queries and keys without padding, which are not read,
/// - [batch, keys] or [batch, length, keys]: positive for keys that may be attended,
/// - [batch, 1, most, most]: positive likewise, for all positions of queries and keys,
/// - [batch, 1] or [1, 1]: no mask; returns kNoValue.
/// The expansion waits while the dims do not determine which.
ValueId attention_mask(Expansion& graph, const AttentionMaskRule& rule);

}  // namespace linnet
