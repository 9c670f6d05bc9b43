#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/graph_builder.h"
#include "support/run_op.h"
#include "support/special_floats.h"

namespace linnet::testing {
namespace {

struct Function {
  const char* op;
  double (*want)(double, double);
};

const Function kFunctions[] = {
    {"Add", [](double a, double b) { return a + b; }},
    {"Sub", [](double a, double b) { return a - b; }},
    {"Mul", [](double a, double b) { return a * b; }},
    {"Div", [](double a, double b) { return a / b; }},
};

/// Returns the element of the input that is broadcast to element `flat` of the output, found dim by dim.
int64_t source_index(const Shape& output, const Shape& input, int64_t flat) {
  int64_t index = 0, stride = 1;
  for (int back = 1; back <= output.rank(); ++back) {
    const int64_t position = flat % output[output.rank() - back];
    flat /= output[output.rank() - back];
    if (back > input.rank()) continue;
    const int64_t extent = input[input.rank() - back];
    if (extent > 1) index += position * stride;
    stride *= extent;
  }
  return index;
}

void check_broadcast(const Function& f, const Shape& a_shape, const Shape& b_shape, const Shape& y_shape, DType dtype,
                     double tolerance) {
  const Tensor a = cast_to(random_uniform(a_shape, -4, 4, 1), dtype);
  const Tensor b = cast_to(random_uniform(b_shape, 0.5f, 4, 2), dtype);
  const Tensor wide_a = cast_to(a, DType::kFloat64), wide_b = cast_to(b, DType::kFloat64);
  Tensor want(DType::kFloat64, y_shape);
  for (int64_t i = 0; i < want.size(); ++i) {
    want.data<double>()[i] = f.want(wide_a.data<double>()[source_index(y_shape, a_shape, i)],
                                    wide_b.data<double>()[source_index(y_shape, b_shape, i)]);
  }
  expect_close(cast_to(run_op({f.op}, {a, b})[0], DType::kFloat64), want, tolerance, tolerance);
}

TEST(Arithmetic, BroadcastsLikeNumPy) {
  struct Shapes {
    Shape a, b, y;
  };
  const Shapes shapes[] = {
      {{5, 7}, {5, 7}, {5, 7}},
      {{}, {}, {}},
      {{3, 4}, {}, {3, 4}},
      {{}, {3, 4}, {3, 4}},
      {{1, 1}, {1}, {1, 1}},
      {{2, 3, 4}, {4}, {2, 3, 4}},
      {{4}, {2, 3, 4}, {2, 3, 4}},
      {{2, 3, 4, 5}, {3, 1, 1}, {2, 3, 4, 5}},
      {{3, 1}, {1, 4}, {3, 4}},
      {{2, 1, 4, 1}, {3, 1, 5}, {2, 3, 4, 5}},
      {{0, 3}, {1, 3}, {0, 3}},
      {{2, 1}, {2, 0}, {2, 0}},
      {{70001}, {70001}, {70001}},
      {{2, 40001}, {2, 1}, {2, 40001}},
      {{1, 300, 1}, {200, 1, 2}, {200, 300, 2}},
  };
  for (const Function& f : kFunctions) {
    for (const Shapes& s : shapes) {
      check_broadcast(f, s.a, s.b, s.y, DType::kFloat32, 1e-6);
      check_broadcast(f, s.a, s.b, s.y, DType::kFloat64, 1e-14);
    }
    check_broadcast(f, {2, 3, 4}, {3, 1}, {2, 3, 4}, DType::kFloat16, 0x1p-11);
    check_broadcast(f, {2, 3, 400}, {3, 1}, {2, 3, 400}, DType::kBFloat16, 0x1p-8);
  }
}

TEST(Arithmetic, RefusesShapesThatDoNotBroadcast) {
  expect_error(ErrorKind::kShape, "3", [] { run_op({"Add"}, {random_tensor({2, 3}), random_tensor({2, 4})}); });
  expect_error(ErrorKind::kType, "int32", [] { run_op({"Add"}, {random_tensor({1}), Tensor::of<int32_t>({1})}); });
}

TEST(Arithmetic, BroadcastsByAttributesBeforeOpset7) {
  const Tensor a = Tensor::of<float>({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const Tensor b = Tensor::of<float>({10, 20, 30});
  const Tensor want = Tensor::of<float>({2, 3, 2}, {10, 11, 22, 23, 34, 35, 16, 17, 28, 29, 40, 41});
  const OpCase on_axis_1{"Add", 6, {{"broadcast", int64_t{1}}, {"axis", int64_t{1}}}};
  expect_close(run_op(on_axis_1, {a, b})[0], want);
  const OpCase on_last{"Add", 6, {{"broadcast", int64_t{1}}}};
  expect_close(run_op(on_last, {a, Tensor::of<float>({100, 200})})[0],
               Tensor::of<float>({2, 3, 2}, {100, 201, 102, 203, 104, 205, 106, 207, 108, 209, 110, 211}));
  expect_error(ErrorKind::kShape, "broadcast", [&] { run_op({"Add", 6}, {a, b}); });
  expect_error(ErrorKind::kShape, "axis 2", [&] {
    run_op({"Add", 6, {{"broadcast", int64_t{1}}, {"axis", int64_t{2}}}}, {a, random_tensor({2, 2})});
  });
}

TEST(Arithmetic, WrapsIntegersAround) {
  expect_close(run_op({"Add", 14}, {Tensor::of<int8_t>({127, -128}), Tensor::of<int8_t>({1, -1})})[0],
               Tensor::of<int8_t>({-128, 127}));
  expect_close(run_op({"Mul"}, {Tensor::of<int32_t>({1 << 20}), Tensor::of<int32_t>({(1 << 12) + 1})})[0],
               Tensor::of<int32_t>({1 << 20}));
  expect_close(run_op({"Sub"}, {Tensor::of<uint16_t>({1}), Tensor::of<uint16_t>({2})})[0],
               Tensor::of<uint16_t>({65535}));
}

TEST(Arithmetic, IntegerDivisionRoundsTowardsZeroAndNeverTraps) {
  const int64_t least = std::numeric_limits<int64_t>::min();
  expect_close(
      run_op({"Div"}, {Tensor::of<int64_t>({7, -7, 7, -7, 5, least}), Tensor::of<int64_t>({2, 2, -2, -2, 0, -1})})[0],
      Tensor::of<int64_t>({3, -3, -3, 3, 0, least}));
  expect_close(run_op({"Div", 14}, {Tensor::of<int8_t>({-128}), Tensor::of<int8_t>({-1})})[0],
               Tensor::of<int8_t>({-128}));
  expect_close(run_op({"Div"}, {Tensor::of<float>({1, -1, 0}), Tensor::of<float>({0, 0, 0})})[0],
               Tensor::of<float>({kInf, -kInf, kNan}));
}

/// Tests divisors for every row, for every column, and one divisor for all.
TEST(Arithmetic, IntegersAreDividedByVectorsAndByOneNumber) {
  const Tensor a = cast_to(random_uniform({7, 50}, -1e9f, 1e9f), DType::kInt32);
  for (const Shape& shape : {Shape{7, 50}, Shape{7, 1}, Shape{50}, Shape{}}) {
    const Tensor b = cast_to(random_uniform(shape, -9.5f, -1, 4), DType::kInt32);
    const Tensor y = run_op({"Div"}, {a, b})[0];
    for (int64_t i = 0; i < a.size(); ++i) {
      const int32_t divisor = b.data<int32_t>()[source_index(a.shape(), shape, i)];
      ASSERT_EQ(y.data<int32_t>()[i], a.data<int32_t>()[i] / divisor) << i << " " << shape.rank();
    }
  }
}

TEST(Mod, TakesTheSignOfTheDivisorOrOfTheDividend) {
  const Tensor a = Tensor::of<int32_t>({-4, 7, 5, 4, -7, 8, 3});
  const Tensor b = Tensor::of<int32_t>({2, -3, 8, -2, 3, 5, 0});
  expect_close(run_op({"Mod"}, {a, b})[0], Tensor::of<int32_t>({0, -2, 5, 0, 2, 3, 0}));
  const OpCase fmod{"Mod", 13, {{"fmod", int64_t{1}}}};
  expect_close(run_op(fmod, {a, b})[0], Tensor::of<int32_t>({0, 1, 5, 0, -1, 3, 0}));
  expect_close(run_op(fmod, {Tensor::of<float>({-4.5f, 7, 5, kInf, 1}), Tensor::of<float>({2, -3, 8, 2, 0})})[0],
               Tensor::of<float>({-0.5f, 1, 5, kNan, kNan}));
}

TEST(Mod, FloorsFloatsFromOpset28On) {
  const Tensor a = Tensor::of<float>({-4.5f, 7, 5, -5, -0.0f}), b = Tensor::of<float>({2, -3, kInf, kInf, 3});
  expect_close(run_op({"Mod", 28}, {a, b})[0], Tensor::of<float>({1.5f, -2, 5, kInf, 0}));
  expect_error(ErrorKind::kType, "fmod", [&] { run_op({"Mod", 13}, {a, b}); });
}

TEST(MaxMin, TakeAnyNumberOfInputsAndPropagateNan) {
  const Tensor a = Tensor::of<float>({3, 1}, {1, kNan, 3});
  const Tensor b = Tensor::of<float>({2}, {2, kNan});
  const Tensor c = Tensor::of<float>({-1});
  const Tensor max = Tensor::of<float>({3, 2}, {2, kNan, kNan, kNan, 3, kNan});
  const Tensor min = Tensor::of<float>({3, 2}, {-1, kNan, kNan, kNan, -1, kNan});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16}) {
    const std::vector<Tensor> two{cast_to(a, dtype), cast_to(b, dtype)};
    expect_close(run_op({"Max"}, two)[0], cast_to(max, dtype));
    const std::vector<Tensor> three{two[0], two[1], cast_to(c, dtype)};
    expect_close(run_op({"Max"}, three)[0], cast_to(max, dtype));
    expect_close(run_op({"Min"}, three)[0], cast_to(min, dtype));
  }
  expect_close(run_op({"Max", 8}, {b})[0], b);
  expect_close(run_op({"Min"}, {Tensor::of<uint64_t>({5, 7}), Tensor::of<uint64_t>({6})})[0],
               Tensor::of<uint64_t>({5, 6}));
}

TEST(SumMean, AddInOrderAndRoundOnce) {
  const Tensor a = cast_to(Tensor::of<float>({2048, 1}), DType::kFloat16);
  const Tensor one = cast_to(Tensor::of<float>({1}), DType::kFloat16);
  expect_close(run_op({"Sum"}, {a, one, one})[0], cast_to(Tensor::of<float>({2050, 3}), DType::kFloat16));
  const Tensor x = random_tensor({3, 500}, 1), y = random_tensor({500}, 2), z = random_tensor({3, 1}, 3);
  Tensor mean(DType::kFloat32, {3, 500});
  for (int64_t i = 0; i < 1500; ++i) {
    mean.data<float>()[i] =
        float((double{x.data<float>()[i]} + y.data<float>()[i % 500] + z.data<float>()[i / 500]) / 3);
  }
  expect_close(run_op({"Mean"}, {x, y, z})[0], mean, 1e-6);
  expect_close(run_op({"Sum", 6}, {x})[0], x);
  expect_close(run_op({"Sum"}, {Tensor::of<double>({1}), Tensor::of<double>({2})})[0], Tensor::of<double>({3}));
}

TEST(Sum, BroadcastsWhatTheFirstInputsHaveInCommonOnce) {
  const Tensor a = random_tensor({1}, 1), b = random_tensor({3, 1}, 2), c = random_tensor({3, 1500}, 3);
  Tensor sum(DType::kFloat64, {3, 1500}), most(DType::kFloat64, {3, 1500});
  for (int64_t i = 0; i < sum.size(); ++i) {
    const double x = a.data<float>()[0], y = b.data<float>()[i / 1500], z = c.data<float>()[i];
    sum.data<double>()[i] = x + y + z;
    most.data<double>()[i] = std::max({x, y, z});
  }
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const std::vector<Tensor> inputs{cast_to(a, dtype), cast_to(b, dtype), cast_to(c, dtype)};
    expect_close(run_op({"Sum"}, inputs)[0], cast_to(sum, dtype), 1e-6);
    expect_close(run_op({"Max"}, inputs)[0], cast_to(most, dtype));
  }
}

TEST(Sum, MayBeWrittenOverTheInputThatIsReadLast) {
  const Shape one{1}, shape{3000};  // Only the last input has the output's shape.
  GraphBuilder builder;
  const ValueId a = builder.input("a", one), b = builder.input("b", one), c = builder.input("c", shape);
  builder.output(builder.op("Sum", {a, b, builder.op("Abs", {c})}));
  const Tensor x = Tensor::of<float>({1}), y = Tensor::of<float>({2}), z = random_tensor(shape);
  Tensor want(DType::kFloat32, shape);
  for (int64_t i = 0; i < want.size(); ++i) want.data<float>()[i] = 3 + std::abs(z.data<float>()[i]);
  Context context(builder.model({.optimization = 0}));
  expect_close(context.run(std::vector{x, y, z})[0], want, 1e-6);
}

TEST(Sum, TakesDozensOfInputs) {
  const std::vector<Tensor> inputs(40, Tensor::of<float>({1, 2}));
  expect_close(run_op({"Sum"}, inputs)[0], Tensor::of<float>({40, 80}));
}

}  // namespace
}  // namespace linnet::testing
