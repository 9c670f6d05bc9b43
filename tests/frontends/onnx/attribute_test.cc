#include <gtest/gtest.h>

#include <functional>

#include "model_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Sets a value of an attribute.
using Fill = std::function<void(pb::AttributeProto&)>;

/// Returns what Constant makes of the attribute, which may state its type.
Tensor constant(const std::string& name, const Fill& fill, pb::AttributeProto::AttributeType type) {
  pb::ModelProto model = empty_model();
  fill(add_attribute(add_node(*model.mutable_graph(), "Constant", {}, {"y"}), name, type));
  add_output(*model.mutable_graph(), "y");
  Context context(load(model));
  return context.run(std::vector<Tensor>())[0].clone();
}

void fill_tensor(pb::TensorProto& tensor) {
  tensor.set_data_type(pb::TensorProto::FLOAT);
  tensor.add_dims(2);
  tensor.add_float_data(3);
  tensor.add_float_data(4);
}

void fill_sparse(pb::AttributeProto& attribute) {
  pb::SparseTensorProto& sparse = *attribute.mutable_sparse_tensor();
  sparse.add_dims(5);
  fill_tensor(*sparse.mutable_values());
  sparse.mutable_indices()->set_data_type(pb::TensorProto::INT64);
  sparse.mutable_indices()->add_dims(2);
  for (const int64_t index : {1, 4}) sparse.mutable_indices()->add_int64_data(index);
}

TEST(OnnxAttribute, WithoutATypeIsWhatItHolds) {
  using Proto = pb::AttributeProto;
  const auto expect = [](const std::string& name, const Tensor& wanted, Proto::AttributeType type, const Fill& fill) {
    EXPECT_TRUE(identical(constant(name, fill, type), wanted)) << name;
    EXPECT_TRUE(identical(constant(name, fill, Proto::UNDEFINED), wanted)) << name << " without a type";
  };
  expect("value_float", Tensor::scalar(1.5f), Proto::FLOAT, [](Proto& a) { a.set_f(1.5f); });
  expect("value_int", Tensor::scalar(int64_t{7}), Proto::INT, [](Proto& a) { a.set_i(7); });
  expect("value_string", Tensor::scalar(std::string("text")), Proto::STRING, [](Proto& a) { a.set_s("text"); });
  expect("value", Tensor::of(std::vector<float>{3, 4}), Proto::TENSOR, [](Proto& a) { fill_tensor(*a.mutable_t()); });
  expect("sparse_value", Tensor::of(std::vector<float>{0, 3, 0, 0, 4}), Proto::SPARSE_TENSOR, fill_sparse);
  expect("value_floats", Tensor::of(std::vector<float>{1, 2}), Proto::FLOATS, [](Proto& a) {
    a.add_floats(1);
    a.add_floats(2);
  });
  expect("value_ints", Tensor::of(std::vector<int64_t>{1, 2}), Proto::INTS, [](Proto& a) {
    a.add_ints(1);
    a.add_ints(2);
  });
  expect("value_strings", Tensor::of(std::vector<std::string>{"a", "b"}), Proto::STRINGS, [](Proto& a) {
    a.add_strings("a");
    a.add_strings("b");
  });
}

TEST(OnnxAttribute, WithoutATypeMayBeABody) {
  pb::ModelProto model = empty_model();
  add_input(*model.mutable_graph(), "x");
  add_initializer(*model.mutable_graph(), "any", {1});
  add_node(*model.mutable_graph(), "Cast", {"any"}, {"condition"});
  pb::AttributeProto& to = add_attribute(*model.mutable_graph()->mutable_node(0), "to", pb::AttributeProto::INT);
  to.set_i(pb::TensorProto::BOOL);
  pb::NodeProto& node = add_node(*model.mutable_graph(), "If", {"condition"}, {"y"});
  for (const auto& [branch, op] : {std::pair("then_branch", "Neg"), std::pair("else_branch", "Abs")}) {
    pb::GraphProto& body = *add_attribute(node, branch, pb::AttributeProto::UNDEFINED).mutable_g();
    add_node(body, op, {"x"}, {"z"});
    add_output(body, "z");
  }
  add_output(*model.mutable_graph(), "y");
  EXPECT_EQ(run_floats(model, {{1, -2}}), (std::vector<float>{-1, 2}));
}

TEST(OnnxAttribute, HasATypeOrAValue) {
  expect_error(ErrorKind::kModel, "neither type nor value", [] {
    constant(
        "value", [](pb::AttributeProto&) {}, pb::AttributeProto::UNDEFINED);
  });
}

}  // namespace
}  // namespace linnet::testing
