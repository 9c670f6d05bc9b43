#include "microsoft/attention_graph.h"

#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

ValueId with_split_heads(GraphWriter& graph, ValueId x, int64_t heads) {
  return graph.fact(x).rank() == 4 ? x : split_heads(graph, x, heads);
}

/// Attention that writes the new keys and values into the past ones.
std::vector<ValueId> attend_in_place(GraphWriter& graph, const AttentionParts& parts, int64_t heads,
                                     const Attributes& attributes, int outputs) {
  const ValueId k = with_split_heads(graph, parts.k, heads), v = with_split_heads(graph, parts.v, heads);
  const ValueId begins = graph.op("Expand", {parts.past_length, graph.dim(parts.q, 0)});
  const ValueId ends = graph.op("Add", {begins, graph.dim(k, 2)});
  const ValueId keys = written_cache(graph, parts.past_key, k, begins, graph.dim(parts.past_key, 2));
  const ValueId values = written_cache(graph, parts.past_value, v, begins, graph.dim(parts.past_value, 2));
  std::vector<ValueId> y =
      internal_op(graph, "Attention", {parts.q, keys, values, parts.bias, kNoValue, kNoValue, ends, begins},
                  outputs == 4 ? 4 : 1, attributes);
  y.resize(size_t(outputs));
  if (outputs > 1) y[1] = keys;
  if (outputs > 2) y[2] = values;
  return y;
}

}  // namespace
Dim head_size(const Fact& fact, int64_t heads, const std::string& name) {
  require_rank(fact, 3, name);
  if (!fact.has_rank()) return {};
  if (!fact.dim(2).known() || fact.dim(2).value() % heads == 0) return floor_div(fact.dim(2), heads);
  throw Error(ErrorKind::kShape,
              str("the last dim of ", name, " must be a multiple of its ", heads, " heads, got ", fact.dim(2)));
}

std::vector<ValueId> internal_op(GraphWriter& graph, const std::string& op_type, const std::vector<ValueId>& inputs,
                                 int outputs, const Attributes& attributes) {
  NodeSpec spec;
  spec.op_type = op_type;
  spec.domain = kInternalDomain;
  spec.attributes = attributes;
  return graph.node(std::move(spec), inputs, outputs);
}

std::vector<ValueId> attend(GraphWriter& graph, const AttentionParts& parts, int64_t heads, Attributes attributes,
                            int outputs) {
  attributes["q_num_heads"] = attributes["kv_num_heads"] = heads;
  if (parts.past_length != kNoValue) return attend_in_place(graph, parts, heads, attributes, outputs);
  const std::vector<ValueId> inputs{parts.q, parts.k, parts.v, parts.bias, parts.past_key, parts.past_value};
  const bool alike = graph.fact(parts.q).rank() == graph.fact(parts.k).rank();
  return alike ? graph.op("Attention", inputs, outputs, attributes)
               : internal_op(graph, "Attention", inputs, outputs, attributes);
}

std::vector<ValueId> attend_with_state(GraphWriter& graph, AttentionParts parts, ValueId past, int64_t heads,
                                       const Attributes& attributes, int outputs) {
  if (past != kNoValue) {
    parts.past_key = graph.op("Gather", {past, graph.constant(Tensor::scalar<int64_t>(0))});
    parts.past_value = graph.op("Gather", {past, graph.constant(Tensor::scalar<int64_t>(1))});
  }
  const std::vector<ValueId> y = attend(graph, parts, heads, attributes, outputs > 1 ? 3 : 1);
  if (outputs == 1) return y;
  const ValueId axis = graph.ints({0});
  const ValueId keys = graph.op("Unsqueeze", {y[1], axis}), values = graph.op("Unsqueeze", {y[2], axis});
  return {y[0], graph.op("Concat", {keys, values}, {{"axis", int64_t{0}}})};
}

ValueId sum_of_biases(GraphWriter& graph, ValueId a, ValueId b) {
  if (a == kNoValue || b == kNoValue) return a == kNoValue ? b : a;
  const DType dtype = graph.fact(b).dtype;
  return graph.op("Add", {graph.fact(a).dtype == dtype ? a : graph.cast(a, dtype), b});
}

ValueId split_heads(GraphWriter& graph, ValueId x, int64_t heads) {
  const Dim size = head_size(graph.fact(x), heads, "what has heads");
  return graph.transpose(graph.reshape_keeping(x, {0, 0, heads, size.known() ? size.value() : -1}), {0, 2, 1, 3});
}

ValueId whole_number(GraphWriter& graph, ValueId x, const std::string& name) {
  const Fact& fact = graph.fact(x);
  require_dtype(fact, DType::kInt32, name);
  for (int i = 0; fact.has_rank() && i < fact.rank(); ++i) {
    if (!fact.dim(i).known() || fact.dim(i).value() == 1) continue;
    throw Error(ErrorKind::kShape, str(name, " must have one element, got ", fact));
  }
  if (const auto known = constant_ints(graph.fact(x)); known && known->size() == 1) return graph.ints(*known);
  return graph.reshape(graph.cast(x, DType::kInt64), {1});
}

ValueId extended_cache(GraphWriter& graph, ValueId cache, ValueId length) {
  const Tensor& known = graph.fact(length).constant;
  const Dim& rows = graph.fact(cache).dim(2);
  if (known && rows.known()) {
    const int64_t missing = *known.data<int64_t>() - rows.value();
    return missing == 0 ? cache : graph.op("Pad", {cache, graph.ints({0, 0, 0, 0, 0, 0, missing, 0})});
  }
  const ValueId none = graph.ints({0, 0, 0, 0, 0, 0});
  const ValueId missing = graph.op("Sub", {length, graph.dim(cache, 2)});
  const ValueId pads = graph.op("Concat", {none, missing, graph.ints({0})}, {{"axis", int64_t{0}}});
  return graph.op("Pad", {cache, pads});
}

ValueId written_cache(GraphWriter& graph, ValueId cache, ValueId update, ValueId begins, ValueId length) {
  NodeSpec spec;
  spec.op_type = "TensorScatter";
  spec.opset = 24;
  return graph.node(std::move(spec), {extended_cache(graph, cache, length), update, begins}, 1)[0];
}

}  // namespace linnet
