#include <gtest/gtest.h>

#include "linnet/registry.h"
#include "ops/movement/ramp.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

Tensor ints(const std::vector<int64_t>& values) { return Tensor::of(values); }

Fact infer(const OpCase& op, const std::vector<Fact>& in) {
  NodeSpec spec;
  spec.op_type = op.op_type;
  spec.opset = op.opset;
  spec.num_inputs = int(in.size());
  spec.attributes = op.attributes;
  return standard_registry().create(spec)->infer(in).front();
}

Fact symbolic(const Dims& dims) { return Fact(DType::kFloat32, dims); }

// Checks operators that keep the elements in their order.
void expect_shape(const OpCase& op, const Tensor& x, const std::vector<Tensor>& parameters, const Shape& want) {
  std::vector<Tensor> inputs{x};
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  const Tensor got = run_op(op, inputs)[0];
  EXPECT_EQ(got.shape(), want);
  EXPECT_TRUE(identical(got.reshaped(x.shape()), x));
}

TEST(Reshape, FollowsTheExamplesOfTheSpecification) {
  const Tensor x = ramp({2, 3, 4});
  expect_shape({"Reshape", 14}, x, {ints({4, 2, 3})}, {4, 2, 3});
  expect_shape({"Reshape", 14}, x, {ints({2, 12})}, {2, 12});
  expect_shape({"Reshape", 14}, x, {ints({2, 3, 2, 2})}, {2, 3, 2, 2});
  expect_shape({"Reshape", 14}, x, {ints({24})}, {24});
  expect_shape({"Reshape", 14}, x, {ints({2, -1, 2})}, {2, 6, 2});
  expect_shape({"Reshape", 14}, x, {ints({-1, 2, 3, 4})}, {1, 2, 3, 4});
  expect_shape({"Reshape", 14}, x, {ints({2, 0, 4, 1})}, {2, 3, 4, 1});
  expect_shape({"Reshape", 14}, x, {ints({2, 0, 1, -1})}, {2, 3, 1, 4});
  expect_shape({"Reshape", 14, {{"allowzero", int64_t{1}}}}, ramp({0, 3, 4}), {ints({3, 4, 0})}, {3, 4, 0});
}

TEST(Reshape, TakesItsShapeFromAnAttributeBeforeOpset5) {
  expect_shape({"Reshape", 1, {{"shape", std::vector<int64_t>{3, -1}}}}, ramp({2, 6}), {}, {3, 4});
}

TEST(Reshape, HandlesScalarsStringsAndEmptyTensors) {
  expect_shape({"Reshape"}, ramp({1, 1}), {ints({})}, {});
  expect_shape({"Reshape"}, Tensor::scalar(2.0f), {ints({1, -1})}, {1, 1});
  expect_shape({"Reshape"}, Tensor::of(Shape{2, 2}, std::vector<std::string>{"a", "", "c", "dd"}), {ints({4})}, {4});
  expect_shape({"Reshape"}, ramp({0, 3}), {ints({0, -1})}, {0, 3});
  Tensor nibbles(DType::kInt4, {2, 3});
  std::fill_n(static_cast<uint8_t*>(nibbles.raw()), nibbles.bytes(), uint8_t{0x5a});
  expect_shape({"Reshape", 21}, nibbles, {ints({-1})}, {6});
}

TEST(Reshape, KeepsSymbolsWhereProvable) {
  const Dim n(std::string("N"));
  const auto shape = [](const std::vector<int64_t>& values) { return Fact(Tensor::of(values)); };
  EXPECT_EQ(str(infer({"Reshape"}, {symbolic({n, 3, 4}), shape({0, -1})})), "float32[N,12]");
  EXPECT_EQ(str(infer({"Reshape"}, {symbolic({n, 3, 4}), shape({-1, 2, 6})})), "float32[N,2,6]");
  const Fact open = infer({"Reshape"}, {symbolic({n, 3, 4}), shape({-1, 6})});
  EXPECT_EQ(str(open), "float32[2*N,6]");
  EXPECT_EQ(infer({"Reshape"}, {symbolic({n, 3}), Fact(DType::kInt64, Dims{4})}).rank(), 4);
  EXPECT_FALSE(infer({"Reshape"}, {symbolic({n, 3}), Fact(DType::kInt64, Dims(1))}).has_rank());
}

TEST(Reshape, RefusesShapesThatDoNotFit) {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{5}, {-1, 5}, {-1, -1}, {-2, 6}, {2, 3, 0}, {1 << 30, 1 << 30}}) {
    expect_error(ErrorKind::kShape, "cannot reshape float32[2,6]", [&] {
      run_op({"Reshape"}, {ramp({2, 6}), ints(shape)});
    });
  }
  expect_error(ErrorKind::kShape, "cannot reshape", [&] {
    run_op({"Reshape", 14, {{"allowzero", int64_t{1}}}}, {ramp({0, 3}), ints({0, -1})});
  });
}

TEST(Flatten, SplitsTheDimsAtItsAxis) {
  const Tensor x = ramp({2, 3, 4, 5});
  expect_shape({"Flatten", 13}, x, {}, {2, 60});
  const Shape wants[] = {{1, 120}, {2, 60}, {6, 20}, {24, 5}, {120, 1}};
  for (int64_t axis = 0; axis <= 4; ++axis) {
    expect_shape({"Flatten", 13, {{"axis", axis}}}, x, {}, wants[axis]);
    if (axis < 4) expect_shape({"Flatten", 13, {{"axis", axis - 4}}}, x, {}, wants[axis]);
  }
  expect_shape({"Flatten", 13, {{"axis", int64_t{0}}}}, Tensor::scalar(1.0f), {}, {1, 1});
  expect_error(ErrorKind::kShape, "axis 5", [&] { run_op({"Flatten", 13, {{"axis", int64_t{5}}}}, {x}); });
}

TEST(Flatten, KeepsTheSymbolOfTheBatch) {
  const Dim n(std::string("N"));
  EXPECT_EQ(str(infer({"Flatten"}, {symbolic({n, 3, 4})})), "float32[N,12]");
  EXPECT_EQ(str(infer({"Flatten"}, {symbolic({n, 0, 4})})), "float32[N,0]");
  EXPECT_FALSE(infer({"Flatten", 13, {{"axis", int64_t{2}}}}, {symbolic({n, 3, 4})}).dim(0).known());
}

TEST(Squeeze, RemovesDimsOfOne) {
  expect_shape({"Squeeze", 13}, ramp({1, 3, 1, 5}), {ints({0, -2})}, {3, 5});
  expect_shape({"Squeeze", 13}, ramp({1, 3, 1, 5}), {ints({2})}, {1, 3, 5});
  expect_shape({"Squeeze", 13}, ramp({1, 3, 1, 5}), {}, {3, 5});
  expect_shape({"Squeeze", 11, {{"axes", std::vector<int64_t>{-4}}}}, ramp({1, 3, 1}).reshaped({1, 1, 3, 1}), {},
               {1, 3, 1});
  expect_shape({"Squeeze", 1}, ramp({1, 1}), {}, {});
  expect_error(ErrorKind::kShape, "axis 1 must have dim 1", [] { run_op({"Squeeze"}, {ramp({1, 3}), ints({1})}); });
  expect_shape({"Squeeze"}, ramp({1, 3}), {ints({0, -2})}, {3});
  expect_shape({"Squeeze"}, Tensor::scalar(1.0f), {ints({0, -1})}, {});
  expect_error(ErrorKind::kShape, "axis 1", [] { run_op({"Squeeze"}, {Tensor::scalar(1.0f), ints({1})}); });
  expect_error(ErrorKind::kShape, "axis 2", [] { run_op({"Squeeze"}, {ramp({1, 3}), ints({2})}); });
}

TEST(Unsqueeze, InsertsDimsOfOneAtPositionsOfTheOutput) {
  expect_shape({"Unsqueeze", 13}, ramp({3, 4, 5}), {ints({5, 4, 2})}, {3, 4, 1, 5, 1, 1});
  expect_shape({"Unsqueeze", 13}, ramp({3, 5}), {ints({-1, 0})}, {1, 3, 5, 1});
  expect_shape({"Unsqueeze", 1, {{"axes", std::vector<int64_t>{1}}}}, ramp({3, 5}), {}, {3, 1, 5});
  expect_shape({"Unsqueeze", 13}, Tensor::scalar(1.0f), {ints({0})}, {1});
  const Dim n(std::string("N"));
  EXPECT_EQ(str(infer({"Unsqueeze"}, {symbolic({n, 3}), Fact(ints({1}))})), "float32[N,1,3]");
  expect_error(ErrorKind::kShape, "axis 3", [] { run_op({"Unsqueeze"}, {ramp({1, 3}), ints({3})}); });
  expect_error(ErrorKind::kModel, "input 1 is required", [] { run_op({"Unsqueeze"}, {ramp({1, 3})}); });
}

TEST(Shape, IsKnownBeforeTheModelRuns) {
  EXPECT_TRUE(identical(infer({"Shape"}, {symbolic({2, 3})}).constant, ints({2, 3})));
  const Fact open = infer({"Shape"}, {symbolic({Dim(std::string("N")), 3})});
  EXPECT_FALSE(open.constant);
  EXPECT_EQ(str(open), "int64[2]");
  const OpCase second{"Shape", 15, {{"start", int64_t{1}}, {"end", int64_t{2}}}};
  EXPECT_TRUE(identical(infer(second, {symbolic({Dim(std::string("N")), 3, 4})}).constant, ints({3})));
}

TEST(Shape, ClampsStartAndEnd) {
  const Tensor x = ramp({3, 4, 5});
  const auto shape = [&](int64_t start, int64_t end) {
    return run_op({"Shape", 15, {{"start", start}, {"end", end}}}, {x})[0];
  };
  expect_close(run_op({"Shape", 15}, {x})[0], ints({3, 4, 5}));
  expect_close(run_op({"Shape", 15}, {Tensor::scalar(1.0f)})[0], ints({}));
  expect_close(shape(-1, 9), ints({5}));
  expect_close(shape(-9, -1), ints({3, 4}));
  expect_close(shape(2, 1), ints({}));
}

TEST(Size, CountsElements) {
  expect_close(run_op({"Size"}, {ramp({3, 4})})[0], Tensor::scalar(int64_t{12}));
  expect_close(run_op({"Size"}, {ramp({0, 4})})[0], Tensor::scalar(int64_t{0}));
  expect_close(run_op({"Size"}, {Tensor::scalar(1.0f)})[0], Tensor::scalar(int64_t{1}));
}

}  // namespace
}  // namespace linnet::testing
