#include "rewrites/matching/inliner.h"

namespace linnet {

Inliner::Inliner(const Graph& inner, const std::vector<ValueId>& inputs, Patch& patch) : inner_(inner), patch_(patch) {
  values_[kNoValue] = kNoValue;
  for (size_t i = 0; i < inner.inputs().size(); ++i) values_[inner.inputs()[i]] = inputs[i];
  for (const NodeId id : inner.nodes()) add(inner.node(id));
}

ValueId Inliner::outer(ValueId value) {
  const auto found = values_.find(value);
  if (found != values_.end()) return found->second;
  return values_[value] = patch_.constant(inner_.value(value).name, inner_.fact(value).constant);
}

void Inliner::add(const Node& node) {
  std::vector<ValueId> inputs;
  for (const ValueId input : node.inputs) inputs.push_back(outer(input));
  const std::vector<ValueId> outputs = patch_.add(node.spec, inputs, int(node.outputs.size()));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (node.outputs[i] != kNoValue) values_[node.outputs[i]] = outputs[i];
  }
}

}  // namespace linnet
