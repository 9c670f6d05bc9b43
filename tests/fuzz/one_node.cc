#include "one_node.h"

namespace linnet {

using linnet_onnx::AttributeProto;

OneNode::OneNode(const std::string& op_type, int64_t opset, const std::string& domain)
    : model_(testing::empty_model(domain.empty() ? opset : 18)) {
  if (!domain.empty()) testing::add_import(model_, domain, opset);
  testing::add_node(*model_.mutable_graph(), op_type, {}, {"y"}).set_domain(domain);
  testing::add_output(*model_.mutable_graph(), "y");
}

std::string OneNode::next_input() {
  const std::string name = "x" + std::to_string(node().input_size());
  node().add_input(name);
  return name;
}

void OneNode::input(const Tensor& value) {
  linnet_onnx::ValueInfoProto& info = *model_.mutable_graph()->add_input();
  info.set_name(next_input());
  testing::set_type(info, int32_t(value.dtype()), {value.shape().begin(), value.shape().end()});
  inputs_.push_back(value);
}

void OneNode::constant(const Tensor& value) {
  linnet_onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(next_input());
  tensor.set_data_type(int32_t(value.dtype()));
  for (const int64_t dim : value.shape()) tensor.add_dims(dim);
  tensor.set_raw_data(std::string(static_cast<const char*>(value.raw()), value.bytes()));
}

void OneNode::integers(const std::string& name, const std::vector<int64_t>& values) {
  AttributeProto& made = attribute(name, AttributeProto::INTS);
  made.mutable_ints()->Add(values.begin(), values.end());
}

void OneNode::integer(const std::string& name, int64_t value) { attribute(name, AttributeProto::INT).set_i(value); }

void OneNode::text(const std::string& name, const std::string& value) {
  attribute(name, AttributeProto::STRING).set_s(value);
}

}  // namespace linnet
