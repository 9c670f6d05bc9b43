#include "attribute_writer.h"

#include "tensor_writer.h"
#include "value_type.h"

namespace linnet {

namespace {

using Proto = pb::AttributeProto;

class AttributeWriter {
 public:
  AttributeWriter(Proto& proto, const WriteBody& write_body) : proto_(proto), write_body_(write_body) {}

  void operator()(int64_t value) { with_type(Proto::INT).set_i(value); }
  void operator()(float value) { with_type(Proto::FLOAT).set_f(value); }
  void operator()(const std::string& value) { with_type(Proto::STRING).set_s(value); }
  void operator()(const Tensor& value) { write_tensor(value, {}, *with_type(Proto::TENSOR).mutable_t()); }
  void operator()(const std::shared_ptr<const Graph>& body) {
    write_body_(*body, *with_type(Proto::GRAPH).mutable_g());
  }
  void operator()(const std::vector<int64_t>& values) {
    for (const int64_t value : values) proto_.add_ints(value);
    with_type(Proto::INTS);
  }
  void operator()(const std::vector<float>& values) {
    for (const float value : values) proto_.add_floats(value);
    with_type(Proto::FLOATS);
  }
  void operator()(const std::vector<std::string>& values) {
    for (const std::string& value : values) proto_.add_strings(value);
    with_type(Proto::STRINGS);
  }
  void operator()(const std::vector<Tensor>& values) {
    for (const Tensor& value : values) write_tensor(value, {}, *proto_.add_tensors());
    with_type(Proto::TENSORS);
  }
  void operator()(const Fact& type) { write_type(type, *with_type(Proto::TYPE_PROTO).mutable_tp()); }

 private:
  Proto& with_type(Proto::AttributeType type) {
    proto_.set_type(type);
    return proto_;
  }

  Proto& proto_;
  const WriteBody& write_body_;
};

}  // namespace

void write_attributes(const NodeSpec& spec, const WriteBody& write_body, pb::NodeProto& proto) {
  for (const auto& [name, value] : spec.attributes) {
    Proto& attribute = *proto.add_attribute();
    attribute.set_name(name == "sparse_value" ? "value" : name);  // of Constant; the loader made it dense
    std::visit(AttributeWriter(attribute, write_body), value);
  }
}

}  // namespace linnet
