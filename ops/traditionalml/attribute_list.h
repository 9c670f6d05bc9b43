#pragma once

#include <string>
#include <vector>

#include "linnet/node_spec.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// Returns a copy of the list in an attribute, empty if the node does not have it. Throws Error(kModel) for an
/// attribute of another type.
template <class T>
CountedVector<T> attribute_list(const NodeSpec& node, const std::string& name) {
  const auto* values = node.find<std::vector<T>>(name);
  return values ? CountedVector<T>(values->begin(), values->end()) : CountedVector<T>();
}

}  // namespace linnet
