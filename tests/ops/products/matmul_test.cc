#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

const OpCase kMatMul{"MatMul", 13};

/// Returns element (row, column) of the matrix of the operand that output matrix `index` of these batch dims uses.
float element(const Tensor& t, const std::vector<int64_t>& batch, const std::vector<int64_t>& index, int64_t row,
              int64_t column) {
  int64_t at = 0;
  const int own = t.rank() - 2;
  for (int i = 0; i < own; ++i) {
    const size_t axis = batch.size() - size_t(own - i);
    at = at * t.dim(i) + (t.dim(i) == 1 ? 0 : index[axis]);
  }
  return t.data<float>()[(at * t.dim(own) + row) * t.dim(own + 1) + column];
}

/// Computes a * b of rank 2 and above in double precision, one output element at a time.
Tensor matmul_reference(const Tensor& a, const Tensor& b, const std::vector<int64_t>& batch) {
  const int64_t m = a.dim(a.rank() - 2), k = a.dim(a.rank() - 1), n = b.dim(b.rank() - 1);
  Shape shape{std::span<const int64_t>(batch)};
  shape.push_back(m);
  shape.push_back(n);
  Tensor y(DType::kFloat32, shape);
  std::vector<int64_t> index(batch.size());
  for (int64_t i = 0; i < y.size(); ++i) {
    int64_t matrix = i / (m * n);
    for (size_t axis = batch.size(); axis-- > 0; matrix /= batch[axis]) index[axis] = matrix % batch[axis];
    double sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += double(element(a, batch, index, i / n % m, p)) * double(element(b, batch, index, p, i % n));
    }
    y.data<float>()[i] = float(sum);
  }
  return y;
}

class MatMul : public ::testing::TestWithParam<Isa> {};

TEST_P(MatMul, BroadcastsBatches) {
  struct Case {
    Shape a, b;
    std::vector<int64_t> batch;
  };
  const std::vector<Case> cases = {
      {{5, 7}, {7, 40}, {}},
      {{1, 300}, {300, 70}, {}},
      {{3, 5, 7}, {7, 9}, {3}},
      {{4, 15, 6}, {4, 6, 4}, {4}},
      {{2, 7, 3}, {2, 3, 3}, {2}},
      {{2, 9, 600}, {2, 600, 4}, {2}},
      {{2, 3, 5, 7}, {7, 9}, {2, 3}},
      {{5, 7}, {3, 7, 9}, {3}},
      {{3, 5, 7}, {3, 7, 9}, {3}},
      {{2, 1, 5, 7}, {3, 7, 9}, {2, 3}},
      {{2, 1, 2, 6}, {2, 3, 6, 5}, {2, 3}},
      {{2, 1, 3, 2, 6}, {4, 1, 6, 5}, {2, 4, 3}},
      {{3, 2, 4}, {1, 1, 4, 5}, {1, 3}},
      {{5, 7, 9}, {5, 9, 32}, {5}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(str(c.a, " * ", c.b));
    const Tensor a = random_tensor(c.a, 1), b = random_tensor(c.b, 2);
    const Tensor want = matmul_reference(a, b, c.batch);
    expect_close(run_op(kMatMul, {a, b}, 1, {}, GetParam())[0], want, 1e-4, 1e-5);
    expect_close(run_op(kMatMul, {a, b}, 1, {1}, GetParam())[0], want, 1e-4, 1e-5);
  }
}

TEST_P(MatMul, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const int64_t batch : {2, 10}) {
    const Tensor a = random_tensor({batch, 130, 900}, 1), b = random_tensor({batch, 900, 150}, 2);
    const Tensor one = run_op(kMatMul, {a, b}, 1, {}, GetParam(), 1)[0];
    for (const int threads : {2, 3, 8}) {
      EXPECT_TRUE(identical(run_op(kMatMul, {a, b}, 1, {}, GetParam(), threads)[0], one)) << batch << ' ' << threads;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, MatMul, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

TEST(MatMulOp, TakesVectorsAsRowAndColumn) {
  const Tensor a = random_tensor({2, 3, 4}, 1), row = random_tensor({3}, 2), column = random_tensor({4}, 3);
  const Tensor from_left = run_op(kMatMul, {row, a})[0];
  expect_close(from_left, matmul_reference(row.reshaped({1, 3}), a, {2}).reshaped({2, 4}), 1e-5, 1e-5);
  const Tensor from_right = run_op(kMatMul, {a, column})[0];
  expect_close(from_right, matmul_reference(a, column.reshaped({4, 1}), {2}).reshaped({2, 3}), 1e-5, 1e-5);
  const Tensor dot = run_op(kMatMul, {row, row})[0];
  expect_close(dot, matmul_reference(row.reshaped({1, 3}), row.reshaped({3, 1}), {}).reshaped({}), 1e-5, 1e-5);
}

TEST(MatMulOp, ComputesOtherTypes) {
  const auto whole = [](const Shape& shape, unsigned seed) {
    return cast_to(random_uniform(shape, 0, 9, seed), DType::kInt32);
  };
  const Tensor a = whole({2, 3, 4}, 1), b = whole({4, 5}, 2);
  const Tensor want = matmul_reference(cast_to(a, DType::kFloat32), cast_to(b, DType::kFloat32), {2});
  for (const DType dtype : {DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt32, DType::kInt64,
                            DType::kUint32, DType::kUint64}) {
    const Tensor y = run_op(kMatMul, {cast_to(a, dtype), cast_to(b, dtype)}, 1, {1})[0];
    EXPECT_EQ(y.dtype(), dtype);
    expect_close(cast_to(y, DType::kFloat32), want, 0, dtype == DType::kBFloat16 ? 4e-3 : 1e-6);
  }
}

class WidestLoop final : public Executor {
 public:
  int workers() const override { return 4; }
  void parallel_for(int64_t chunks, ChunkFunction function) override {
    most = std::max(most, chunks);
    for (int64_t chunk = 0; chunk < chunks; ++chunk) function(chunk, int(chunk % 4));
  }
  int64_t most = 0;
};

TEST(MatMulOp, ProductsOfEveryTypeAreDividedAmongWorkers) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kUint64}) {
    GraphBuilder b;
    const Fact matrix(dtype, Shape{256, 256});
    b.output(b.op("MatMul", {b.input("a", matrix), b.input("b", matrix)}));
    ModelOptions options;
    options.executor = make_openmp_executor(4);
    const auto executor = std::make_shared<WidestLoop>();
    const std::vector<Tensor> inputs(2, cast_to(random_uniform({256, 256}, 0, 9), dtype));
    Context(b.model(options), {.executor = executor}).run(inputs);
    EXPECT_GE(executor->most, 4) << dtype;
  }
}

TEST(MatMulOp, WorkersPackTheMatricesOfTheirProducts) {
  for (const int64_t n : {32, 70}) {
    const Tensor x = random_tensor({3, 4, 50, 19}, 1), y = random_tensor({3, 4, 19, n}, 2);
    GraphBuilder b;
    b.output(b.op("MatMul", {b.input("a", Fact(x.dtype(), x.shape())), b.input("b", Fact(y.dtype(), y.shape()))}));
    ModelOptions options;
    options.executor = make_openmp_executor(2);
    const Model model = b.model(options);
    for (const int threads : {1, 2, 5}) {
      Context context(model, {.executor = make_openmp_executor(threads)});
      expect_close(context.run(std::vector<Tensor>{x, y})[0], matmul_reference(x, y, {3, 4}), 1e-4, 1e-5);
    }
  }
}

TEST(MatMulOp, WrapsIntegers) {
  const Tensor a = Tensor::of(Shape{1, 2}, std::vector<int32_t>{65536, -1});
  const Tensor b = Tensor::of(Shape{2, 1}, std::vector<int32_t>{65536, 7});
  EXPECT_EQ(run_op(kMatMul, {a, b})[0].data<int32_t>()[0], -7);
}

TEST(MatMulOp, HandlesEmptyOperands) {
  EXPECT_EQ(run_op(kMatMul, {random_tensor({0, 3}), random_tensor({3, 4})})[0].shape(), (Shape{0, 4}));
  EXPECT_EQ(run_op(kMatMul, {random_tensor({2, 0, 5, 3}), random_tensor({3, 4})})[0].shape(), (Shape{2, 0, 5, 4}));
  EXPECT_EQ(run_op(kMatMul, {random_tensor({0, 5, 3}), random_tensor({1, 3, 4})})[0].shape(), (Shape{0, 5, 4}));
  const Tensor zeros = run_op(kMatMul, {random_tensor({2, 0}), random_tensor({0, 3})})[0];
  EXPECT_TRUE(identical(zeros, Tensor::of(Shape{2, 3}, std::vector<float>(6, 0.f))));
}

TEST(MatMulOp, FusesBiasResidualAndActivation) {
  const Tensor b = random_tensor({7, 9}, 2), bias = random_tensor({9}, 3);
  for (const Shape& rows : {Shape{2, 5}, Shape{1, 1}}) {
    const Tensor a = random_tensor({rows[0], rows[1], 7}, 1), residual = random_tensor({rows[0], rows[1], 9}, 4);
    Tensor want = matmul_reference(a, b, {rows[0]});
    for (int64_t i = 0; i < want.size(); ++i) {
      float& y = want.data<float>()[i];
      y = std::max(0.f, y + bias.data<float>()[i % 9] + residual.data<float>()[i]);
    }
    OpCase op{"MatMul", 1, {{"activation", std::string("Relu")}}, "linnet"};
    expect_close(run_op(op, {a, b, bias, residual}, 1, {1, 2})[0], want, 1e-5, 1e-5);
  }
}

TEST(MatMulOp, RejectsWhatDoesNotFit) {
  expect_error(ErrorKind::kShape, "last but one of B", [] {
    run_op(kMatMul, {random_tensor({2, 3}), random_tensor({4, 5})});
  });
  expect_error(ErrorKind::kShape, "", [] { run_op(kMatMul, {random_tensor({2, 2, 3}), random_tensor({3, 3, 5})}); });
  expect_error(ErrorKind::kType, "inputs A and B", [] {
    run_op(kMatMul, {random_tensor({2, 3}), cast_to(random_tensor({3, 5}), DType::kFloat64)});
  });
}

TEST(MatMulOp, RejectsFusedAddendsThatDoNotFit) {
  const OpCase op{"MatMul", 1, {}, "linnet"};
  const Tensor a = random_tensor({2, 3}), b = random_tensor({3, 5});
  expect_error(ErrorKind::kShape, "length of the bias", [&] { run_op(op, {a, b, random_tensor({4})}); });
  expect_error(ErrorKind::kShape, "input bias", [&] { run_op(op, {a, b, random_tensor({1, 5})}); });
  expect_error(ErrorKind::kType, "inputs B and bias", [&] {
    run_op(op, {a, b, cast_to(random_tensor({5}), DType::kFloat64)});
  });
  expect_error(ErrorKind::kShape, "residual", [&] { run_op(op, {a, b, Tensor(), random_tensor({1, 5})}); });
}

TEST(MatMul, VectorsTimesMatricesMatchDoublePrecision) {
  for (const int64_t k : {1, 7, 16, 100, 1500}) {
    for (const int64_t n : {1, 5, 33, 1030}) {
      const Tensor a = random_tensor({2, 1, k}, 1), b = random_tensor({2, k, n}, 2), column = random_tensor({k}, 3);
      Tensor row_by_b(DType::kFloat32, {2, 1, n}), b_by_column(DType::kFloat32, {2, n});
      const Tensor turned = random_tensor({2, n, k}, 4);
      for (int64_t i = 0; i < 2 * n; ++i) {
        double first = 0, second = 0;
        for (int64_t t = 0; t < k; ++t) {
          first += double(a.data<float>()[i / n * k + t]) * double(b.data<float>()[(i / n * k + t) * n + i % n]);
          second += double(turned.data<float>()[i * k + t]) * double(column.data<float>()[t]);
        }
        row_by_b.data<float>()[i] = float(first);
        b_by_column.data<float>()[i] = float(second);
      }
      for (const Isa isa : supported_isas()) {
        const double atol = 2e-6 * std::sqrt(double(k));
        expect_close(run_op(kMatMul, {a, b}, 1, {}, isa)[0], row_by_b, atol, 1e-6);
        expect_close(run_op(kMatMul, {turned, column}, 1, {}, isa)[0], b_by_column, atol, 1e-6);
        const OpCase gemm{"Gemm", 13, {{"transB", int64_t{1}}}};
        const Tensor rows = turned.reshaped({2 * n, k}), vector = column.reshaped({1, k});
        expect_close(run_op(gemm, {vector, rows}, 1, {}, isa)[0], b_by_column.reshaped({1, 2 * n}), atol, 1e-6);
      }
    }
  }
}

/// Tests matrices that are not constant: by rows of B, by columns of B, and by one column.
TEST(MatMul, FunctionsFollowProductsOfVectors) {
  const Tensor a = random_tensor({2, 1, 40}, 1), b = random_tensor({2, 40, 1100}, 2),
               column = random_tensor({40, 1}, 3);
  const Tensor sums = run_op(kMatMul, {a, b})[0], dots = run_op(kMatMul, {random_tensor({50, 40}, 4), column})[0];
  const std::pair<const char*, float (*)(float)> functions[] = {
      {"Relu", [](float x) { return std::max(x, 0.0f); }},
      {"Clip", [](float x) { return std::clamp(x, -0.5f, 0.5f); }},
      {"Tanh", [](float x) { return std::tanh(x); }}};
  for (const auto& [name, function] : functions) {
    const OpCase op{"MatMul",
                    1,
                    {{"activation", std::string(name)}, {"activation_alpha", -0.5f}, {"activation_beta", 0.5f}},
                    "linnet"};
    const auto expect = [&, apply = function](const std::vector<Tensor>& inputs, Tensor want) {
      float* y = want.data<float>();
      std::transform(y, y + want.size(), y, apply);
      for (const Isa isa : supported_isas()) expect_close(run_op(op, inputs, 1, {}, isa)[0], want, 2e-5, 1e-5);
    };
    expect({a, b}, sums.clone());
    expect({random_tensor({50, 40}, 4), column}, dots.clone());
  }
}

template <class T>
void expect_integer_product() {
  const Tensor a = cast_to(random_uniform({3, 70}, 0, 2e9f, 1), dtype_of<T>);
  const Tensor b = cast_to(random_uniform({70, 37}, 0, 2e9f, 2), dtype_of<T>);
  Tensor want(dtype_of<T>, {3, 37});
  for (int64_t i = 0; i < want.size(); ++i) {
    uint64_t sum = 0;
    for (int64_t k = 0; k < 70; ++k) {
      sum += uint64_t(a.data<T>()[i / 37 * 70 + k]) * uint64_t(b.data<T>()[k * 37 + i % 37]);
    }
    want.data<T>()[i] = T(sum);
  }
  for (const Isa isa : supported_isas()) expect_close(run_op(kMatMul, {a, b}, 1, {}, isa)[0], want);
}

TEST(MatMul, IntegersWrapAroundInEveryInstructionSet) {
  expect_integer_product<int32_t>();
  expect_integer_product<int64_t>();
  expect_integer_product<uint32_t>();
}

}  // namespace
}  // namespace linnet::testing
