#pragma once

#include <string>

#include "expansion/expansion.h"
#include "linnet/node_spec.h"

// What the attention operators of com.microsoft share.
namespace linnet {

/// The size of a head of [batch, length, heads * size]; open where the last dim is. Checks the rank.
Dim head_size(const Fact& fact, int64_t heads, const std::string& name);

/// What an attention reads; all heads have keys and values of their own.
struct AttentionParts {
  ValueId q, k, v;                ///< [batch, length, heads * size]; k and v may be [batch, heads, length, size]
  ValueId bias = kNoValue;        ///< is added to the scores
  ValueId past_key = kNoValue;    ///< [batch, heads, rows, size]
  ValueId past_value = kNoValue;  ///< also
  /// The rows of the past that count, int64 [1]: new ones are written behind these. kNoValue: all, new ones are
  /// appended.
  ValueId past_length = kNoValue;
};
/// The first outputs of Attention for them.
std::vector<ValueId> attend(GraphWriter& graph, const AttentionParts& parts, int64_t heads, Attributes attributes,
                            int outputs);
/// Attention whose past and present are one tensor each, [2, batch, heads, rows, size]: keys, then values. `parts` has
/// no past_key and past_value; `past` may be kNoValue. Gives y and, with two outputs, the present.
std::vector<ValueId> attend_with_state(GraphWriter& graph, AttentionParts parts, ValueId past, int64_t heads,
                                       const Attributes& attributes, int outputs);
/// The sum of what adds to scores, of which either may be kNoValue.
ValueId sum_of_biases(GraphWriter& graph, ValueId a, ValueId b);

/// A node of the internal domain "linnet".
std::vector<ValueId> internal_op(GraphWriter& graph, const std::string& op_type, const std::vector<ValueId>& inputs,
                                 int outputs, const Attributes& attributes = {});
/// [batch, length, heads * size] as [batch, heads, length, size].
ValueId split_heads(GraphWriter& graph, ValueId x, int64_t heads);
/// A whole number in a tensor of one element, int32, as int64 [1]. Checks the tensor.
ValueId whole_number(GraphWriter& graph, ValueId x, const std::string& name);
/// A cache [batch, heads, rows, size] with zeros behind it, so that it has `length` rows, an int64 [1].
ValueId extended_cache(GraphWriter& graph, ValueId cache, ValueId length);
/// That with the rows of `update`, [batch, heads, new rows, size], written into it from row begins[b] of sample b on.
ValueId written_cache(GraphWriter& graph, ValueId cache, ValueId update, ValueId begins, ValueId length);

}  // namespace linnet
