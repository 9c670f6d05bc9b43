#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "frontends/onnx/model_builder.h"
#include "linnet/tensor.h"

namespace linnet {

namespace pb = ::linnet_onnx;

/// An input of the one node of a case.
struct CaseInput {
  std::string name;  ///< empty: omitted
  Tensor value;
  std::optional<Shape> shape;  ///< in the place of the value's: of so many elements that none can be given
  pb::TypeProto type;          ///< of a container
};

/// A node with its inputs.
struct Case {
  std::string what;      ///< in which way it is other than the one it is made of
  pb::ModelProto model;  ///< the node, its outputs and imports; no inputs, no initializers
  std::vector<CaseInput> inputs;
  int varied = -1;  ///< the input that is other, if it is one

  pb::NodeProto& node() { return *model.mutable_graph()->mutable_node(0); }
  const pb::NodeProto& node() const { return model.graph().node(0); }
  /// The version of the node's domain that the model imports.
  int64_t opset() const;
};

/// Reads what base_cases.py writes.
Case read_case(const std::filesystem::path& path);

}  // namespace linnet
