#pragma once

#include <memory>
#include <vector>

#include "abi.h"
#include "op_attribute.h"
#include "type_info.h"

namespace linnet::ort {

/// The view of a node that the shape rule of a client's operator has.
struct ShapeInferContext {
  ShapeInferContext(const NodeSpec& node_in, std::span<const Fact> in, std::vector<Fact> out);

  const NodeSpec& node;
  std::vector<TensorTypeAndShapeInfo> inputs;
  std::vector<Fact> outputs;
  std::vector<std::unique_ptr<OpAttr>> attributes;  ///< requested by the rule
};

}  // namespace linnet::ort
