#include <gtest/gtest.h>

#include <algorithm>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

Tensor ramp(const Shape& shape) {
  Floats values(size_t(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = float(i);
  return Tensor::of(shape, values);
}

OpCase with_axis(const std::string& op, int64_t axis) { return {op, 13, {{"axis", axis}}}; }

TEST(Gather, PutsTheDimsOfTheIndicesInPlaceOfTheAxis) {
  const Tensor indices = Tensor::of(Shape{2, 2}, Ints{0, 1, -2, 2});
  expect_close(run_op(with_axis("Gather", 0), {ramp({3, 2}), indices})[0],
               Tensor::of(Shape{2, 2, 2}, Floats{0, 1, 2, 3, 2, 3, 4, 5}));
  expect_close(run_op(with_axis("Gather", -1), {ramp({2, 3}), Tensor::of(Shape{1, 2}, Ints{0, -1})})[0],
               Tensor::of(Shape{2, 1, 2}, Floats{0, 2, 3, 5}));
  expect_close(run_op({"Gather", 1}, {ramp({3}), Tensor::scalar(int32_t{-1})})[0], Tensor::scalar(2.0f));
}

TEST(Gather, TakesManyRowsOfManySlices) {
  Ints columns;
  for (int64_t i = 0; i < 37; ++i) columns.push_back(i * 7 % 20 - (i % 3 == 0 ? 20 : 0));
  for (const int64_t row : {1, 3}) {
    const Tensor x = ramp({5000, 20, row});
    Floats want;
    for (int64_t slice = 0; slice < 5000; ++slice) {
      for (const int64_t column : columns) {
        const int64_t from = (slice * 20 + (column + 20) % 20) * row;
        for (int64_t i = 0; i < row; ++i) want.push_back(float(from + i));
      }
    }
    const Tensor y = run_op(with_axis("Gather", 1), {x, Tensor::of(columns)})[0];
    EXPECT_TRUE(identical(y, Tensor::of(Shape{5000, 37, row}, want))) << row;
  }
}

TEST(Gather, TakesStringsAndEmptyIndices) {
  const Tensor x = Tensor::of<std::string>({"a", "b", "cc"});
  expect_close(run_op({"Gather", 13}, {x, Tensor::of<int32_t>({2, 0})})[0], Tensor::of<std::string>({"cc", "a"}));
  EXPECT_EQ(run_op({"Gather", 13}, {ramp({3, 2}), Tensor(DType::kInt64, {0})})[0].shape(), (Shape{0, 2}));
}

TEST(Gather, RefusesIndicesOutOfRange) {
  const auto gather = [](int64_t i) { run_op({"Gather", 13}, {ramp({5, 2}), Tensor::of<int64_t>({0, i})}); };
  expect_error(ErrorKind::kShape, "index 5 is out of range [-5,5) of axis 0", [&] { gather(5); });
  expect_error(ErrorKind::kShape, "index -6 is out of range [-5,5)", [&] { gather(-6); });
  expect_error(ErrorKind::kShape, "data must have rank 1 or more", [] {
    run_op({"Gather", 13}, {Tensor::scalar(1.0f), Tensor::of<int64_t>({0})});
  });
  expect_error(ErrorKind::kType, "indices must be one of", [] { run_op({"Gather", 13}, {ramp({2}), ramp({1})}); });
}

TEST(GatherElements, FollowsTheExamplesOfTheSpecification) {
  const Tensor x = Tensor::of(Shape{2, 2}, Floats{1, 2, 3, 4});
  expect_close(run_op(with_axis("GatherElements", 1), {x, Tensor::of(Shape{2, 2}, Ints{0, 0, 1, 0})})[0],
               Tensor::of(Shape{2, 2}, Floats{1, 1, 4, 3}));
  const Tensor y = Tensor::of(Shape{3, 3}, Floats{1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor indices = Tensor::of(Shape{2, 3}, std::vector<int32_t>{-2, -1, -3, -1, 0, 0});
  expect_close(run_op({"GatherElements", 13}, {y, indices})[0], Tensor::of(Shape{2, 3}, Floats{4, 8, 3, 7, 2, 3}));
}

TEST(GatherElements, AgreesWithItsDefinitionInEveryAxis) {
  const Tensor x = ramp({3, 4, 5});
  // The last shape, and some of the others, cover whole axes of x.
  const std::vector<Shape> shapes{{2, 3, 4}, {2, 3, 5}, {2, 4, 5}, {3, 4, 4}, {3, 4, 5}};
  for (int form = 0; form < 3 * int(shapes.size()); ++form) {
    const int axis = form % 3;
    Shape shape = shapes[size_t(form / 3)];
    shape[axis] = 6;
    Tensor indices(DType::kInt64, shape), want(DType::kFloat32, shape);
    for (int64_t i = 0; i < indices.size(); ++i) {
      const int64_t dim = x.dim(axis), index = i * 7 % (2 * dim) - dim;
      int64_t c[3] = {i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2]};
      c[axis] = (index + dim) % dim;
      indices.data<int64_t>()[i] = index;
      want.data<float>()[i] = float(c[0] * 20 + c[1] * 5 + c[2]);
    }
    expect_close(run_op(with_axis("GatherElements", axis), {x, indices})[0], want);
  }
}

TEST(GatherElements, RefusesIndicesThatDoNotFit) {
  expect_error(ErrorKind::kShape, "dim 1 of indices must be at most 2", [] {
    run_op({"GatherElements", 13}, {ramp({2, 2}), Tensor::of(Shape{1, 3}, Ints{0, 0, 0})});
  });
  expect_error(ErrorKind::kShape, "indices must have rank 2", [] {
    run_op({"GatherElements", 13}, {ramp({2, 2}), Tensor::of<int64_t>({0})});
  });
  expect_error(ErrorKind::kShape, "index 2 is out of range", [] {
    run_op({"GatherElements", 13}, {ramp({2, 2}), Tensor::of(Shape{1, 2}, Ints{0, 2})});
  });
}

TEST(GatherND, FollowsTheExamplesOfTheSpecification) {
  const Tensor x = ramp({2, 2}), x3 = ramp({2, 2, 2});
  const auto gather = [](const Tensor& data, const Tensor& indices, int64_t batch_dims = 0) {
    return run_op({"GatherND", 13, {{"batch_dims", batch_dims}}}, {data, indices})[0];
  };
  expect_close(gather(x, Tensor::of(Shape{2, 2}, Ints{0, 0, 1, 1})), Tensor::of<float>({0, 3}));
  expect_close(gather(x, Tensor::of(Shape{2, 1}, Ints{1, -2})), Tensor::of(Shape{2, 2}, Floats{2, 3, 0, 1}));
  expect_close(gather(x3, Tensor::of(Shape{2, 2}, Ints{0, 1, 1, 0})), Tensor::of(Shape{2, 2}, Floats{2, 3, 4, 5}));
  expect_close(gather(x3, Tensor::of(Shape{2, 1}, Ints{1, 0}), 1), Tensor::of(Shape{2, 2}, Floats{2, 3, 4, 5}));
  expect_close(gather(x3, Tensor::of<int64_t>({1, 1, 0})), Tensor::scalar(6.0f));
}

TEST(GatherND, RefusesTuplesThatDoNotFit) {
  const auto gather = [](const Tensor& indices, int64_t batch_dims = 0) {
    run_op({"GatherND", 13, {{"batch_dims", batch_dims}}}, {ramp({2, 3}), indices});
  };
  expect_error(ErrorKind::kShape, "last dim of indices must be in [1,2], got 3", [&] {
    gather(Tensor::of<int64_t>({0, 0, 0}));
  });
  expect_error(ErrorKind::kShape, "index 3 is out of range [-3,3) of axis 1", [&] {
    gather(Tensor::of<int64_t>({0, 3}));
  });
  expect_error(ErrorKind::kShape, "batch_dims must be in [0,1)", [&] { gather(Tensor::of<int64_t>({0}), 1); });
  expect_error(ErrorKind::kShape, "batch dim 0", [&] { gather(Tensor::of(Shape{3, 1}, Ints{0, 0, 0}), 1); });
}

TEST(GatherND, TakesManyElementsAndSlices) {
  const Tensor x = random_tensor({30, 40, 3}, 1);
  Tensor tuples(DType::kInt64, {500, 3});
  for (int64_t i = 0; i < tuples.size(); ++i) {
    const int64_t dim = x.dim(int(i % 3));
    tuples.data<int64_t>()[i] = int64_t(uint32_t(i) * 2654435761u >> 9) % (2 * dim) - dim;
  }
  for (const int64_t k : {1, 2, 3}) {
    Tensor chosen(DType::kInt64, {500, k});
    const int64_t slice = k == 3 ? 1 : k == 2 ? 3 : 120;
    Tensor want(DType::kFloat32, {500, slice});
    for (int64_t t = 0; t < 500; ++t) {
      int64_t offset = 0;
      for (int64_t j = 0; j < k; ++j) {
        const int64_t index = tuples.data<int64_t>()[t * 3 + j], dim = x.dim(int(j));
        chosen.data<int64_t>()[t * k + j] = index;
        offset = offset * dim + (index < 0 ? index + dim : index);
      }
      std::copy_n(x.data<float>() + offset * slice, slice, want.data<float>() + t * slice);
    }
    EXPECT_TRUE(identical(run_op({"GatherND"}, {x, chosen})[0].reshaped({500, slice}), want)) << k;
  }
}

}  // namespace
}  // namespace linnet::testing
