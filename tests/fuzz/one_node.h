#pragma once

#include <string>
#include <vector>

#include "frontends/onnx/model_builder.h"
#include "linnet/tensor.h"

namespace linnet {

/// A model of one node, to which inputs are added one by one.
class OneNode {
 public:
  explicit OneNode(const std::string& op_type, int64_t opset = 18, const std::string& domain = {});

  void input(const Tensor& value);
  /// Adds an initializer.
  void constant(const Tensor& value);
  void omitted() { node().add_input(); }
  void integers(const std::string& name, const std::vector<int64_t>& values);
  void integer(const std::string& name, int64_t value);
  void text(const std::string& name, const std::string& value);

  Model load(const ModelOptions& options) const { return testing::load(model_, options); }
  const std::vector<Tensor>& inputs() const { return inputs_; }

 private:
  linnet_onnx::NodeProto& node() { return *model_.mutable_graph()->mutable_node(0); }
  linnet_onnx::AttributeProto& attribute(const std::string& name, linnet_onnx::AttributeProto::AttributeType type) {
    return testing::add_attribute(node(), name, type);
  }
  std::string next_input();

  linnet_onnx::ModelProto model_;
  std::vector<Tensor> inputs_;
};

}  // namespace linnet
