#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "linnet/onnx.h"
#include "linnet_onnx.pb.h"

// Helpers that write small ONNX models with the format's own messages and load them.
namespace linnet::testing {

namespace pb = ::linnet_onnx;

inline pb::ModelProto empty_model(int64_t opset = 17) {
  pb::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  return model;
}

inline void add_import(pb::ModelProto& model, const std::string& domain, int64_t version) {
  pb::OperatorSetIdProto& import = *model.add_opset_import();
  import.set_domain(domain);
  import.set_version(version);
}

inline void set_type(pb::ValueInfoProto& value, int32_t type, const std::vector<int64_t>& dims) {
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const int64_t dim : dims) tensor.mutable_shape()->add_dim()->set_dim_value(dim);
}

inline void add_input(pb::GraphProto& graph, const std::string& name, const std::vector<int64_t>& dims = {2}) {
  pb::ValueInfoProto& value = *graph.add_input();
  value.set_name(name);
  set_type(value, pb::TensorProto::FLOAT, dims);
}

inline void add_output(pb::GraphProto& graph, const std::string& name) { graph.add_output()->set_name(name); }

/// Adds a node to a graph or a function.
template <class Message>
pb::NodeProto& add_node(Message& to, const std::string& op_type, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const std::string& name = {}) {
  pb::NodeProto& node = *to.add_node();
  node.set_op_type(op_type);
  node.set_name(name);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

inline pb::AttributeProto& add_attribute(pb::NodeProto& node, const std::string& name,
                                         pb::AttributeProto::AttributeType type) {
  pb::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

inline pb::GraphProto& add_body(pb::NodeProto& node, const std::string& name) {
  return *add_attribute(node, name, pb::AttributeProto::GRAPH).mutable_g();
}

/// Adds a float initializer of shape [values].
inline pb::TensorProto& add_initializer(pb::GraphProto& graph, const std::string& name,
                                        std::initializer_list<float> values) {
  pb::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(pb::TensorProto::FLOAT);
  tensor.add_dims(int64_t(values.size()));
  for (const float value : values) tensor.add_float_data(value);
  return tensor;
}

inline Model load_bytes(const std::string& bytes, const ModelOptions& options = {}, const std::string& folder = {}) {
  return load_onnx_bytes(std::as_bytes(std::span(bytes)), folder, options);
}

inline Model load(const pb::ModelProto& model, const ModelOptions& options = {}, const std::string& folder = {}) {
  return load_bytes(model.SerializeAsString(), options, folder);
}

/// Loads the model as written, without optimisation.
inline Model load_as_written(const pb::ModelProto& model) {
  ModelOptions options;
  options.optimization = 0;
  return load(model, options);
}

inline std::vector<float> floats(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

/// Runs the model on float vectors and returns the values of its first output.
inline std::vector<float> run_floats(const pb::ModelProto& model, const std::vector<std::vector<float>>& inputs) {
  std::vector<Tensor> tensors;
  for (const auto& values : inputs) tensors.push_back(Tensor::of(values));
  Context context(load(model));
  return floats(context.run(tensors)[0]);
}

}  // namespace linnet::testing
