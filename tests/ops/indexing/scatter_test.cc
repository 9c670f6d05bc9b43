#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

const Tensor kZeros = Tensor::of(Shape{3, 3}, Floats(9, 0));
const Tensor kIndices = Tensor::of(Shape{2, 3}, Ints{1, 0, 2, 0, -1, 1});
const Tensor kUpdates = Tensor::of(Shape{2, 3}, Floats{1, 1.1f, 1.2f, 2, 2.1f, 2.2f});

TEST(ScatterElements, FollowsTheExamplesOfTheSpecification) {
  const Tensor want = Tensor::of(Shape{3, 3}, Floats{2, 1.1f, 0, 1, 0, 2.2f, 0, 2.1f, 1.2f});
  expect_close(run_op({"ScatterElements", 18}, {kZeros, kIndices, kUpdates})[0], want);
  expect_close(run_op({"Scatter", 9}, {kZeros, kIndices, kUpdates})[0], want);
  const Tensor row = Tensor::of(Shape{1, 5}, Floats{1, 2, 3, 4, 5});
  const std::vector<Tensor> inputs{row, Tensor::of(Shape{1, 2}, Ints{1, -2}),
                                   Tensor::of(Shape{1, 2}, Floats{1.1f, 2.1f})};
  expect_close(run_op({"ScatterElements", 18, {{"axis", int64_t{1}}}}, inputs)[0],
               Tensor::of(Shape{1, 5}, Floats{1, 1.1f, 3, 2.1f, 5}));
}

TEST(ScatterElements, AgreesWithItsDefinitionInEveryAxis) {
  const Tensor x = random_tensor({3, 4, 5}, 1);
  // Some of the shapes cover whole axes of x.
  const std::vector<Shape> shapes{{2, 3, 4}, {2, 3, 5}, {2, 4, 5}, {3, 4, 4}, {3, 4, 5}};
  for (int form = 0; form < 3 * int(shapes.size()); ++form) {
    const int axis = form % 3;
    Shape shape = shapes[size_t(form / 3)];
    shape[axis] = 6;
    const Tensor updates = random_tensor(shape, 2);
    Tensor indices(DType::kInt64, shape), want = x.clone();
    for (int64_t k = 0; k < indices.size(); ++k) {
      const int64_t dim = x.dim(axis), index = k * 7 % (2 * dim) - dim;
      int64_t c[3] = {k / (shape[1] * shape[2]), k / shape[2] % shape[1], k % shape[2]};
      c[axis] = (index + dim) % dim;
      indices.data<int64_t>()[k] = index;
      want.data<float>()[c[0] * 20 + c[1] * 5 + c[2]] = updates.data<float>()[k];
    }
    expect_close(run_op({"ScatterElements", 18, {{"axis", int64_t(axis)}}}, {x, indices, updates})[0], want);
  }
}

Tensor reduced(const std::string& reduction, const Tensor& data, const Ints& indices, const Tensor& updates) {
  return run_op({"ScatterElements", 18, {{"reduction", reduction}}}, {data, Tensor::of(indices), updates})[0];
}

TEST(ScatterElements, ReducesDuplicates) {
  const Tensor data = Tensor::of<float>({1, 2, 3}), updates = Tensor::of<float>({5, -7, 0.5f});
  const Ints indices{1, 1, -1};
  expect_close(reduced("add", data, indices, updates), Tensor::of<float>({1, 0, 3.5f}));
  expect_close(reduced("mul", data, indices, updates), Tensor::of<float>({1, -70, 1.5f}));
  expect_close(reduced("min", data, indices, updates), Tensor::of<float>({1, -7, 0.5f}));
  expect_close(reduced("max", data, indices, updates), Tensor::of<float>({1, 5, 3}));
  expect_close(reduced("none", data, indices, updates), Tensor::of<float>({1, -7, 0.5f}));
}

TEST(ScatterElements, ReducesOtherDtypes) {
  const Tensor big = Tensor::of<int64_t>({INT64_MAX, 3}), one = Tensor::of<int64_t>({1, 4});
  expect_close(reduced("add", big, {0, 1}, one), Tensor::of<int64_t>({INT64_MIN, 7}));
  const Tensor half = cast_to(Tensor::of<float>({1.5f, 2}), DType::kFloat16);
  expect_close(reduced("mul", half, {0, 1}, half), cast_to(Tensor::of<float>({2.25f, 4}), DType::kFloat16));
  const Tensor nan = Tensor::of<float>({NAN, 1});
  const Tensor both = reduced("max", nan, {0, 1}, Tensor::of<float>({1, NAN}));
  EXPECT_TRUE(std::isnan(both.data<float>()[0]) && std::isnan(both.data<float>()[1]));
  const Tensor text = Tensor::of<std::string>({"a", "b"});
  expect_close(reduced("none", text, {1}, Tensor::of<std::string>({"new"})), Tensor::of<std::string>({"a", "new"}));
  expect_error(ErrorKind::kUnsupported, "string", [&] { reduced("add", text, {0, 1}, text); });
}

TEST(ScatterElements, RefusesWhatDoesNotFit) {
  expect_error(ErrorKind::kShape, "index 3 is out of range [-3,3) of axis 0", [] {
    run_op({"ScatterElements", 18}, {kZeros, Tensor::of(Shape{1, 1}, Ints{3}), Tensor::of(Shape{1, 1}, Floats{1})});
  });
  expect_error(ErrorKind::kShape, "dim 1 of updates", [] {
    run_op({"ScatterElements", 18}, {kZeros, kIndices, Tensor::of(Shape{2, 2}, Floats{1, 2, 3, 4})});
  });
  expect_error(ErrorKind::kModel, "reduction must be", [] { reduced("avg", kZeros, {0}, kZeros); });
}

TEST(ScatterND, FollowsTheExamplesOfTheSpecification) {
  const Tensor x = Tensor::of<float>({1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<Tensor> inputs{x, Tensor::of(Shape{4, 1}, Ints{4, 3, 1, -1}), Tensor::of<float>({9, 10, 11, 12})};
  expect_close(run_op({"ScatterND", 18}, inputs)[0], Tensor::of<float>({1, 11, 3, 10, 9, 6, 7, 12}));
}

TEST(ScatterND, ReplacesAndReducesSlices) {
  const Tensor x = Tensor::of(Shape{3, 2}, Floats{1, 2, 3, 4, 5, 6});
  const Tensor indices = Tensor::of(Shape{2, 1}, Ints{2, 2}), updates = Tensor::of(Shape{2, 2}, Floats{7, 8, 9, 1});
  const auto scatter = [&](const std::string& reduction) {
    return run_op({"ScatterND", 18, {{"reduction", reduction}}}, {x, indices, updates})[0];
  };
  expect_close(scatter("none"), Tensor::of(Shape{3, 2}, Floats{1, 2, 3, 4, 9, 1}));
  expect_close(scatter("add"), Tensor::of(Shape{3, 2}, Floats{1, 2, 3, 4, 21, 15}));
  expect_close(scatter("max"), Tensor::of(Shape{3, 2}, Floats{1, 2, 3, 4, 9, 8}));
  expect_error(ErrorKind::kShape, "updates must have rank 2", [&] {
    run_op({"ScatterND", 18}, {x, indices, Tensor::of<float>({1, 2})});
  });
}

TEST(TensorScatter, WritesTheUpdateIntoTheCache) {
  const Tensor cache = Tensor::of(Shape{2, 3, 1}, Floats{1, 2, 3, 4, 5, 6});
  const Tensor update = Tensor::of(Shape{2, 2, 1}, Floats{7, 8, 9, 10});
  const Tensor begins = Tensor::of<int64_t>({1, 2});
  const OpCase circular{"TensorScatter", 24, {{"mode", "circular"}}};
  expect_close(run_op(circular, {cache, update, begins})[0], Tensor::of(Shape{2, 3, 1}, Floats{1, 7, 8, 10, 5, 9}));
  expect_close(run_op({"TensorScatter", 24}, {cache, update})[0],
               Tensor::of(Shape{2, 3, 1}, Floats{7, 8, 3, 9, 10, 6}));
  expect_error(ErrorKind::kShape, "write_indices must be in [0,1], got 2", [&] {
    run_op({"TensorScatter", 24}, {cache, update, begins});
  });
}

/// Returns indices of the given shape in [-dim, dim).
template <class T>
Tensor many_indices(const Shape& shape, int64_t dim) {
  Tensor result(dtype_of<T>, shape);
  for (int64_t i = 0; i < result.size(); ++i)
    result.data<T>()[i] = T(int64_t(uint32_t(i) * 2654435761u >> 9) % (2 * dim) - dim);
  return result;
}

template <class T>
void expect_many_updates(const std::string& reduction, double (*f)(double, double)) {
  const Tensor x = random_tensor({3, 500}, 1), updates = random_tensor({3, 300}, 2),
               at = many_indices<T>({3, 300}, 500);
  Tensor elements = x.clone();
  for (int64_t i = 0; i < updates.size(); ++i) {
    const int64_t index = int64_t(at.data<T>()[i]);
    float& y = elements.data<float>()[i / 300 * 500 + (index < 0 ? index + 500 : index)];
    y = float(f(double(y), double(updates.data<float>()[i])));
  }
  const Attributes attributes{{"axis", int64_t{1}}, {"reduction", reduction}};
  expect_close(run_op({"ScatterElements", 18, attributes}, {x, at, updates})[0], elements, 1e-6);

  const Tensor tuples = many_indices<T>({900, 1}, 1500);
  Tensor flat = x.reshaped({1500}).clone();
  for (int64_t i = 0; i < 900; ++i) {
    const int64_t index = int64_t(tuples.data<T>()[i]);
    float& y = flat.data<float>()[index < 0 ? index + 1500 : index];
    y = float(f(double(y), double(updates.data<float>()[i])));
  }
  expect_close(
      run_op({"ScatterND", 18, {{"reduction", reduction}}}, {x.reshaped({1500}), tuples, updates.reshaped({900})})[0],
      flat, 1e-6);
}

TEST(ScatterElements, AppliesManyUpdatesInOrder) {
  expect_many_updates<int64_t>("none", [](double, double u) { return u; });
  expect_many_updates<int32_t>("none", [](double, double u) { return u; });
  expect_many_updates<int64_t>("add", [](double y, double u) { return y + u; });
  expect_many_updates<int32_t>("max", [](double y, double u) { return std::max(y, u); });
  expect_many_updates<int64_t>("min", [](double y, double u) { return std::min(y, u); });
}

}  // namespace
}  // namespace linnet::testing
