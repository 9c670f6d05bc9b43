#include "infer/prefix_rules.h"

#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

Dim elements_before(const Fact& fact, int axis) { return product_of(std::span(*fact.dims).first(size_t(axis))); }

}  // namespace

bool carry_in_order(Prefix& prefix) {
  const int from = prefix.input_axis(0), to = prefix.output_axis(0);
  return from >= 0 && to >= 0 &&
         certainly_equal(elements_before(prefix.input(0), from), elements_before(prefix.output(0), to)) &&
         prefix.carry();
}

ValueId gather_rows(PrefixGraph& graph, ValueId x, int axis, const Dim& first, int64_t rows) {
  Dims places;
  for (int64_t i = 0; i < rows; ++i) places.push_back(first + i);
  const ValueId indices = graph.numbers(places, Shape{rows});
  if (indices == kNoValue) return kNoValue;
  NodeSpec spec = graph.node().spec;
  spec.op_type = "Gather";
  spec.domain = "";
  spec.opset = std::max<int64_t>(spec.opset, 13);
  spec.attributes = {{"axis", int64_t{axis}}};
  return graph.add(std::move(spec), {x, indices});
}

bool add_with_zeros(PrefixGraph& graph) {
  const Node& node = graph.node();
  ValueId v = node.inputs[0];
  const auto is_cast = [](const Node* cast) {
    return cast && cast->spec.op_type == "Cast" && cast->spec.domain.empty();
  };
  while (is_cast(graph.graph().producer(v))) v = graph.graph().producer(v)->inputs[0];
  if (!graph.graph().is_input(v)) return false;
  std::vector<ValueId> inputs;
  for (const ValueId input : node.inputs) inputs.push_back(graph.now(input));
  graph.give(0, graph.add(node.spec, std::move(inputs)));
  return true;
}

bool counts_rows(const PrefixGraph& graph, ValueId v) {
  const Node* range = graph.graph().producer(graph.origin(v));
  if (!range || range->spec.op_type != "Range" || !range->spec.domain.empty()) return false;
  return constant_ints(graph.graph().fact(range->inputs[0])) == std::vector<int64_t>{0} &&
         constant_ints(graph.graph().fact(range->inputs[2])) == std::vector<int64_t>{1};
}

}  // namespace linnet
