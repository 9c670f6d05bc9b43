#pragma once

#include <string>

#include "linnet/fact.h"
#include "linnet/node_spec.h"

// Checks of single numbers that a file gives.
namespace linnet {

/// The attribute, an int64 greater than 0. Throws Error(kModel).
int64_t positive_attribute(const NodeSpec& node, const std::string& name);

/// Checks that there is one element, in any number of dims, where the shape is known. Throws Error(kShape).
void require_one_element(const Fact& fact, const std::string& what);
/// The same, and checks the dtype. Throws Error(kType).
void require_one_element(const Fact& fact, DType dtype, const std::string& what);

}  // namespace linnet
