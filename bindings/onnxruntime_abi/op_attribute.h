#pragma once

#include <string>

#include "abi.h"
#include "linnet/node_spec.h"

namespace linnet::ort {

/// An attribute that does not belong to a node yet.
struct OpAttr {
  std::string name;
  Attribute value;
};

}  // namespace linnet::ort
