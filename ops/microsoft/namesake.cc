#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "microsoft/of_dtype.h"
#include "registration.h"

namespace linnet {
namespace {

/// Operators of com.microsoft that are identical to operators of ONNX: GatherND (without batch_dims), Trilu, and Pad
/// with modes constant, reflect and edge. Shapes, dtypes and attributes are as for ONNX's; the pads of Pad may be [1, 2
/// rank].
/// Sources: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GatherND,
/// #com.microsoft.Pad, #com.microsoft.Trilu
class Namesake final : public ExpandedOp {
 public:
  explicit Namesake(const NodeSpec& node)
      : ExpandedOp(node, Precision::kAny), op_type_(node.op_type), attributes_(node.attributes) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < graph.facts().size(); ++i) inputs.push_back(graph.in(i));
    const bool flattens =
        op_type_ == "Pad" && graph.has(1) && graph.facts()[1].has_rank() && graph.facts()[1].rank() == 2;
    if (flattens) inputs[1] = graph.reshape(inputs[1], {-1});
    return {graph.op(op_type_, inputs, attributes_)};
  }

  std::string op_type_;
  Attributes attributes_;
};

/// ExpandDims: Y = X with a dim of 1 at the axis.
/// - X: any dtype; axis: int32, one element, from -rank - 1 to rank
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.ExpandDims
class ExpandDims final : public ExpandedOp {
 public:
  explicit ExpandDims(const NodeSpec& node) : ExpandedOp(node, Precision::kAny) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, 2);
    require_dtype(graph.facts()[1], DType::kInt32, "axis");
    const ValueId axis = graph.reshape(graph.cast(graph.in(1), DType::kInt64), {1});
    return {graph.op("Unsqueeze", {graph.in(0), axis})};
  }
};

/// Range of com.microsoft: Y = start, start + delta, ..., before limit.
/// - start, limit, delta (1): int16/int32/int64/float/double, one element
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Range
class RangeOfDefaultStep final : public ExpandedOp {
 public:
  explicit RangeOfDefaultStep(const NodeSpec& node) : ExpandedOp(node) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, 3);
    const ValueId one = scalar_like(graph, graph.in(0), 1);
    return {graph.op("Range", {scalar(graph, 0), scalar(graph, 1), graph.has(2) ? scalar(graph, 2) : one})};
  }

  static ValueId scalar(Expansion& graph, size_t i) {
    const Fact& fact = graph.facts()[i];
    return fact.has_rank() && fact.rank() == 0 ? graph.in(i) : graph.reshape(graph.in(i), {});
  }
};

/// Unique of com.microsoft.
/// - x: [n], any dtype that Unique of ONNX supports
/// - y: the values of x in the order of their first occurrence
/// - idx: int64 [n], the position in y of each element of x
/// - counts: int64, the number of occurrences of each element of y
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Unique
class UniqueInOrder final : public ExpandedOp {
 public:
  explicit UniqueInOrder(const NodeSpec& node) : ExpandedOp(node) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 1);
    require_rank(graph.facts()[0], 1, "x");
    const auto found = graph.op("Unique", {graph.in(0)}, 4, {{"sorted", int64_t{0}}});
    return {found[0], found[2], found[3]};
  }
};

}  // namespace

LINNET_REGISTER(namesake)(Registry& registry) {
  for (const char* name : {"GatherND", "Pad", "Trilu"}) add_expanded<Namesake>(registry, name, {.domain = kMicrosoft});
  add_expanded<ExpandDims>(registry, "ExpandDims", {.domain = kMicrosoft});
  add_expanded<RangeOfDefaultStep>(registry, "Range", {.domain = kMicrosoft});
  add_expanded<UniqueInOrder>(registry, "Unique", {.domain = kMicrosoft});
}

}  // namespace linnet
