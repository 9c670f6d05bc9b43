#include "microsoft/attention_graph.h"

#include "infer/infer.h"

namespace linnet {
int64_t head_count(const NodeSpec& node, const char* name) {
  const int64_t heads = node.attr<int64_t>(name);
  if (heads <= 0) throw Error(ErrorKind::kModel, str(name, " must be positive, got ", heads));
  return heads;
}

Dim head_size(const Fact& fact, int64_t heads, const std::string& name) {
  require_rank(fact, 3, name);
  if (!fact.has_rank() || !fact.dim(2).known()) return Dim();
  if (fact.dim(2).value() % heads == 0) return fact.dim(2).value() / heads;
  throw Error(ErrorKind::kShape,
              str("the last dim of ", name, " must be a multiple of its ", heads, " heads, got ", fact.dim(2)));
}

std::vector<ValueId> internal_op(GraphWriter& graph, const std::string& op_type, const std::vector<ValueId>& inputs,
                                 int outputs, const Attributes& attributes) {
  NodeSpec spec;
  spec.op_type = op_type;
  spec.domain = "linnet";
  spec.attributes = attributes;
  return graph.node(std::move(spec), inputs, outputs);
}

ValueId split_heads(GraphWriter& graph, ValueId x, int64_t heads) {
  const Dim size = head_size(graph.fact(x), heads, "what has heads");
  return graph.transpose(graph.reshape_keeping(x, {0, 0, heads, size.known() ? size.value() : -1}), {0, 2, 1, 3});
}

ValueId whole_number(GraphWriter& graph, ValueId x, const std::string& name) {
  const Fact& fact = graph.fact(x);
  require_dtype(fact, DType::kInt32, name);
  for (int i = 0; fact.has_rank() && i < fact.rank(); ++i) {
    if (!fact.dim(i).known() || fact.dim(i) == Dim(1)) continue;
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
