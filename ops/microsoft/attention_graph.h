#pragma once

#include <string>

#include "expansion/expansion.h"
#include "linnet/node_spec.h"

// What the attention operators of com.microsoft share.
namespace linnet {

/// A required attribute that counts heads.
int64_t head_count(const NodeSpec& node, const char* name);
/// The size of a head of [batch, length, heads * size]; open where the last dim is. Checks the rank.
Dim head_size(const Fact& fact, int64_t heads, const std::string& name);

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
