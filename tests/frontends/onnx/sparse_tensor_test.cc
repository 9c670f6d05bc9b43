#include <gtest/gtest.h>

#include "graph/graph.h"
#include "model_builder.h"
#include "run/model_graph.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

// Returns a model whose only output is a sparse initializer "s".
pb::ModelProto sparse_model(const std::vector<int64_t>& dims, const std::vector<float>& values,
                            const std::vector<int64_t>& index_dims, const std::vector<int64_t>& indices) {
  pb::ModelProto model = empty_model();
  pb::SparseTensorProto& sparse = *model.mutable_graph()->add_sparse_initializer();
  for (const int64_t dim : dims) sparse.add_dims(dim);
  sparse.mutable_values()->set_name("s");
  sparse.mutable_values()->set_data_type(pb::TensorProto::FLOAT);
  sparse.mutable_values()->add_dims(int64_t(values.size()));
  for (const float value : values) sparse.mutable_values()->add_float_data(value);
  sparse.mutable_indices()->set_data_type(pb::TensorProto::INT64);
  for (const int64_t dim : index_dims) sparse.mutable_indices()->add_dims(dim);
  for (const int64_t index : indices) sparse.mutable_indices()->add_int64_data(index);
  add_output(*model.mutable_graph(), "s");
  return model;
}

Tensor dense(const pb::ModelProto& proto) {
  const Model model = load_as_written(proto);
  return model_graph(model).fact(model_graph(model).outputs()[0].value).constant;
}

TEST(SparseTensor, PlacesValuesByFlatIndex) {
  const Tensor tensor = dense(sparse_model({2, 3}, {7, 8}, {2}, {1, 5}));
  EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
  EXPECT_EQ(floats(tensor), (std::vector<float>{0, 7, 0, 0, 0, 8}));
}

TEST(SparseTensor, PlacesValuesByCoordinates) {
  const Tensor tensor = dense(sparse_model({2, 3}, {7, 8}, {2, 2}, {0, 1, 1, 2}));
  EXPECT_EQ(floats(tensor), (std::vector<float>{0, 7, 0, 0, 0, 8}));
}

TEST(SparseTensor, WithoutValuesIsZero) {
  EXPECT_EQ(floats(dense(sparse_model({2}, {}, {0}, {}))), (std::vector<float>{0, 0}));
}

TEST(SparseTensor, RefusesIndicesOutsideTheShape) {
  const auto refuse = [](const std::vector<int64_t>& index_dims, const std::vector<int64_t>& indices) {
    expect_error(ErrorKind::kModel, "is outside of shape [2,3]", [&] {
      dense(sparse_model({2, 3}, {7}, index_dims, indices));
    });
  };
  refuse({1}, {6});
  refuse({1}, {-1});
  refuse({1, 2}, {0, 3});
  refuse({1, 2}, {-1, 0});
}

TEST(SparseTensor, RefusesFormsThatDoNotFit) {
  const auto refuse = [](const std::vector<int64_t>& index_dims, const std::vector<int64_t>& indices) {
    expect_error(ErrorKind::kModel, "initializer 's'", [&] { dense(sparse_model({2, 3}, {7}, index_dims, indices)); });
  };
  refuse({2}, {0, 1});
  refuse({1, 1}, {0});
  refuse({1, 1, 1}, {0});
}

TEST(SparseTensor, RefusesDenseFormsLargerThanMemory) {
  expect_error(ErrorKind::kLimit, "initializer 's'", [] { dense(sparse_model({int64_t{1} << 45}, {7}, {1}, {0})); });
}

}  // namespace
}  // namespace linnet::testing
