#include "nested_graph.h"

namespace linnet {

ValueId NestedGraph::import(const NestedGraph& home, ValueId value) {
  if (value == kNoValue || &home == this) return value;
  const ValueId outside = outer_->import(home, value);
  const auto known = imported_.find(outside);
  if (known != imported_.end()) return known->second;
  add_capture_inputs();
  if (!imported_.contains(outside)) captures_->push_back(outside);
  add_capture_inputs();
  return imported_.at(outside);
}

void NestedGraph::add_capture_inputs() {
  for (; inputs_added_ < captures_->size(); ++inputs_added_) {
    const ValueId outside = (*captures_)[inputs_added_];
    const Value& source = outer_->graph.value(outside);
    count_value(source.name);
    imported_[outside] = graph.add_input(source.name, source.fact);
  }
}

}  // namespace linnet
