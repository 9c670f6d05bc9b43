#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "frontends/onnx/model_builder.h"
#include "linnet/tensor.h"

namespace linnet {

namespace pb = ::linnet_onnx;

/// An input of the only node of a case.
struct CaseInput {
  std::string name;  ///< empty: omitted
  Tensor value;
  std::optional<Shape> shape;  ///< replaces the value's shape; has too many elements to allocate
  pb::TypeProto type;          ///< of a container
};

/// A node with its inputs.
struct Case {
  std::string what;      ///< the difference from the case that it is derived from
  pb::ModelProto model;  ///< the node, its outputs and imports; no inputs, no initializers
  std::vector<CaseInput> inputs;
  int varied = -1;  ///< the index of the changed input, if an input is changed

  pb::NodeProto& node() { return *model.mutable_graph()->mutable_node(0); }
  const pb::NodeProto& node() const { return model.graph().node(0); }
  /// Returns the version of the node's domain that the model imports.
  int64_t opset() const;
};

/// Reads a file written by base_cases.py.
Case read_case(const std::filesystem::path& path);

}  // namespace linnet
