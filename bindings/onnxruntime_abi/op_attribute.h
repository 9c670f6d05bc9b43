#pragma once

#include <string>

#include "abi.h"
#include "linnet/node_spec.h"

namespace linnet::ort {

/// An attribute of a node, outside of one.
struct OpAttr {
  std::string name;
  Attribute value;
};

}  // namespace linnet::ort
