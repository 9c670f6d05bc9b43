#pragma once

#include <string>

#include "expansion/expansion.h"
#include "linnet/node_spec.h"

// Common helpers of the attention operators of com.microsoft.
namespace linnet {

/// The size of a head in [batch, length, heads * size]; open if the last dim is. Throws Error(kShape) if the rank is
/// not 3 or the last dim is not a multiple of `heads`.
Dim head_size(const Fact& fact, int64_t heads, const std::string& name);

/// The inputs of an attention in which every head has its own keys and values.
struct AttentionParts {
  ValueId q, k, v;                ///< [batch, length, heads * size]; k and v may be [batch, heads, length, size]
  ValueId bias = kNoValue;        ///< added to the scores
  ValueId past_key = kNoValue;    ///< [batch, heads, rows, size]
  ValueId past_value = kNoValue;  ///< like past_key
  /// The number of past rows that are valid, int64 [1]; new rows are written after them. kNoValue: all are valid, and
  /// new rows are appended.
  ValueId past_length = kNoValue;
};
/// The first outputs of Attention for these inputs.
std::vector<ValueId> attend(GraphWriter& graph, const AttentionParts& parts, int64_t heads, Attributes attributes,
                            int outputs);
/// Attention whose past and present are one tensor each, [2, batch, heads, rows, size]: keys, then values. `parts` has
/// no past_key and past_value; `past` may be kNoValue. Returns y and, with two outputs, the present.
std::vector<ValueId> attend_with_state(GraphWriter& graph, AttentionParts parts, ValueId past, int64_t heads,
                                       const Attributes& attributes, int outputs);
/// The sum of two biases of scores, either of which may be kNoValue.
ValueId sum_of_biases(GraphWriter& graph, ValueId a, ValueId b);

/// Adds a node of the internal domain "linnet".
std::vector<ValueId> internal_op(GraphWriter& graph, const std::string& op_type, const std::vector<ValueId>& inputs,
                                 int outputs, const Attributes& attributes = {});
/// Converts [batch, length, heads * size] to [batch, heads, length, size].
ValueId split_heads(GraphWriter& graph, ValueId x, int64_t heads);
/// Converts an int32 tensor of one element to int64 [1]. Checks the tensor.
ValueId whole_number(GraphWriter& graph, ValueId x, const std::string& name);
/// Appends rows of zeros to a cache [batch, heads, rows, size], so that it has `length` rows, an int64 [1].
ValueId extended_cache(GraphWriter& graph, ValueId cache, ValueId length);
/// The extended cache with the rows of `update`, [batch, heads, new rows, size], written from row begins[b] of sample b
/// on.
ValueId written_cache(GraphWriter& graph, ValueId cache, ValueId update, ValueId begins, ValueId length);

}  // namespace linnet
