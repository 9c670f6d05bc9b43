#pragma once

#include <string>

#include "linnet/fact.h"
#include "linnet/node_spec.h"

// Checks of single numbers from a model file.
namespace linnet {

/// Returns the attribute, an int64 greater than 0. Throws Error(kModel).
int64_t positive_attribute(const NodeSpec& node, const std::string& name);

/// Checks that the tensor has one element, in any number of dims. Does nothing if the shape is unknown. Throws
/// Error(kShape).
void require_one_element(const Fact& fact, const std::string& what);
/// Checks the number of elements as above, and the dtype. Throws Error(kType) for another dtype.
void require_one_element(const Fact& fact, DType dtype, const std::string& what);

}  // namespace linnet
