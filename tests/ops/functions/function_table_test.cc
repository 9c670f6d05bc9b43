#include "functions/function_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/unary.h"
#include "run/model_graph.h"
#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet {

void PrintTo(const UnaryFunction& f, std::ostream* out);
void PrintTo(const UnaryFunction& f, std::ostream* out) { *out << f.name; }

namespace testing {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Returns special values, then floats from the whole range, with many where functions bend.
std::vector<float> sample() {
  std::vector<float> x{0.0f,
                       -0.0f,
                       kInfinity,
                       -kInfinity,
                       kNan,
                       std::numeric_limits<float>::max(),
                       std::numeric_limits<float>::lowest(),
                       std::numeric_limits<float>::denorm_min(),
                       -std::numeric_limits<float>::denorm_min(),
                       std::numeric_limits<float>::min(),
                       88.72283f,
                       88.72284f,
                       -87.33654f,
                       -103.9f,
                       -104.1f,
                       0.5f,
                       1.5f,
                       2.5f,
                       -0.5f,
                       -1.5f,
                       1.0f,
                       -1.0f};
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 20011) x.push_back(std::bit_cast<float>(uint32_t(bits)));
  for (double v = -20; v < 20; v += 2.03e-4) x.push_back(float(v));
  return x;
}

double ulp(double value) {
  const double magnitude = std::min(std::abs(value), double(std::numeric_limits<float>::max()));
  if (magnitude < double(std::numeric_limits<float>::min())) return 0x1p-149;
  return std::ldexp(1.0, std::ilogb(magnitude) - 23);
}

bool is_within(float got, double want, double x, const ErrorBound& error) {
  if (std::isnan(want)) return std::isnan(got);
  if (got == 0 && want == 0 && std::signbit(got) != std::signbit(want)) return false;
  // Only values that round to infinity may be infinite.
  if (std::isinf(got)) return std::abs(want) > 0x1.fffffep127 && (got > 0) == (want > 0);
  // Rounding to float costs even an exact function half an ulp.
  return std::abs(double(got) - want) <=
         std::max(error.ulps, 0.5) * ulp(want) + (error.per_x > 0 ? error.per_x * std::abs(x) : 0);
}

/// Computes the function in float64, with the parameters given as floats.
double reference(const UnaryFunction& f, double x, float alpha, float beta) {
  f.scalar(DType::kFloat64)(&x, &x, 1, alpha, beta);
  return x;
}

bool takes(const UnaryFunction& f, DType dtype) {
  try {
    f.scalar(dtype);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Returns the operator of a table row at its opset, with these parameters or without attributes.
OpCase op_of(const UnaryFunction& f, float alpha, float beta) {
  return {std::string(f.op_type()), f.since, attributes_of({&f, alpha, beta})};
}
OpCase op_of(const UnaryFunction& f) { return {std::string(f.op_type()), f.since}; }

/// Adds the function's operator on `x` to a graph, at its opset or a newer one.
ValueId apply(GraphBuilder& b, const UnaryFunction& f, ValueId x) {
  return b.op(std::string(f.op_type()), {x}, attributes_of({&f, f.alpha.fallback, f.beta.fallback}));
}
int64_t opset_for(const UnaryFunction& f) { return std::max<int64_t>(17, f.since); }

int count_nodes(const GraphBuilder& b) { return int(model_graph(b.model()).nodes().size()); }

class Row : public ::testing::TestWithParam<UnaryFunction> {
 protected:
  const UnaryFunction& f = GetParam();
};

TEST(FunctionTable, IsInOrderWithoutRepetition) {
  for (size_t i = 1; i < unary_functions().size(); ++i) {
    const UnaryFunction &before = unary_functions()[i - 1], &row = unary_functions()[i];
    EXPECT_LT(std::pair(before.name, before.since), std::pair(row.name, row.since));
  }
  for (size_t i = 1; i < binary_functions().size(); ++i) {
    EXPECT_LT(binary_functions()[i - 1].name, binary_functions()[i].name);
  }
}

TEST(FunctionTable, HasARowForEveryKernel) {
  const auto has_row = [](UnaryForm UnaryKernels::*kernel) {
    return std::ranges::count(unary_functions(), kernel, &UnaryFunction::kernel) > 0;
  };
#define LINNET_UNARY(name) EXPECT_TRUE(has_row(&UnaryKernels::name)) << #name;
#include "kernels/unary_list.inc"
#undef LINNET_UNARY
}

TEST(FunctionTable, HasAnOperatorForEveryBinaryRow) {
  const Tensor a = random_tensor({100}, 1), b = random_tensor({100}, 2);
  for (const Isa isa : supported_isas()) {
    for (const BinaryFunction& f : binary_functions()) {
      Tensor want(DType::kFloat32, {100});
      (kernels_for<BinaryKernels>(isa).*f.kernel)
          .vector_vector(a.data<float>(), b.data<float>(), want.data<float>(), 100);
      EXPECT_TRUE(identical(run_op({std::string(f.name)}, {a, b}, 1, {}, isa)[0], want)) << f.name;
    }
  }
}

TEST(FunctionTable, FindsTheRowOfANode) {
  const auto row = [](const char* op_type, int64_t opset, const Attributes& attributes = {}, const char* domain = "") {
    NodeSpec node;
    node.op_type = op_type;
    node.opset = opset;
    node.attributes = attributes;
    node.domain = domain;
    return activation_of(node);
  };
  EXPECT_EQ(row("Relu", 17)->function, unary_function("Relu"));
  EXPECT_EQ(row("Selu", 5)->alpha, 1.6732f);
  EXPECT_EQ(row("Selu", 6)->alpha, 1.67326319217681884765625f);
  EXPECT_EQ(row("HardSigmoid", 6, {{"alpha", 0.5f}})->alpha, 0.5f);
  EXPECT_EQ(row("HardSigmoid", 6, {{"alpha", 0.5f}})->beta, 0.5f);
  EXPECT_EQ(row("Gelu", 20)->function, unary_function("Gelu"));
  EXPECT_EQ(row("Gelu", 20, {{"approximate", std::string("tanh")}})->function, unary_function("GeluTanh"));
  EXPECT_FALSE(row("Gelu", 20, {{"approximate", std::string("sigmoid")}}));
  EXPECT_FALSE(row("Gelu", 19));
  EXPECT_FALSE(row("GeluTanh", 20));
  EXPECT_FALSE(row("Clip", 17));
  EXPECT_FALSE(row("Relu", 17, {}, "custom"));
}

TEST_P(Row, StaysWithinItsErrorBoundOnEveryInstructionSet) {
  const std::vector<float> x = sample();
  for (const Isa isa : supported_isas()) {
    const UnaryForm kernel = f.kernel ? kernels_for<UnaryKernels>(isa).*f.kernel : nullptr;
    ASSERT_TRUE(kernel || !f.kernel) << isa_name(isa);
    for (const auto& [alpha, beta] : {std::pair(f.alpha.fallback, f.beta.fallback), std::pair(0.25f, 3.0f)}) {
      std::vector<float> y(x.size());
      if (kernel)
        kernel(x.data(), y.data(), int64_t(x.size()), alpha, beta);
      else
        f.scalar(DType::kFloat32)(x.data(), y.data(), int64_t(x.size()), alpha, beta);
      int failures = 0;
      for (size_t i = 0; i < x.size() && failures < 3; ++i) {
        const double v = double(x[i]), want = reference(f, v, alpha, beta);
        if (is_within(y[i], want, v, f.error)) continue;
        ++failures;
        ADD_FAILURE() << isa_name(isa) << ' ' << f.name << '(' << v << "): got " << y[i] << ", want " << want;
      }
    }
  }
}

TEST_P(Row, HasAnOperatorFromItsOpsetOn) {
  if (f.since == 0) return;
  const Tensor x = Tensor::of<float>({-7, -2.5f, -1, -0.0f, 0, 0.5f, 1, 2.5f, 7});
  for (const auto& [alpha, beta] : {std::pair(f.alpha.fallback, f.beta.fallback), std::pair(0.25f, 3.0f)}) {
    const Tensor y = run_op(op_of(f, alpha, beta), {x})[0];
    const Tensor y64 = run_op(op_of(f, alpha, beta), {cast_to(x, DType::kFloat64)})[0];
    for (int64_t i = 0; i < x.size(); ++i) {
      const double v = double(x.data<float>()[i]), want = reference(f, v, alpha, beta);
      EXPECT_TRUE(is_within(y.data<float>()[i], want, v, f.error)) << f.name << '(' << v << ')';
      EXPECT_TRUE(is_within(float(y64.data<double>()[i]), want, v, {})) << f.name << '(' << v << ')';
    }
  }
  NodeSpec older;
  older.op_type = f.op_type();
  older.opset = f.since - 1;
  if (older.opset == 0 || activation_of(older)) return;
  expect_error(ErrorKind::kUnsupported, "opset", [&] { run_op({older.op_type, older.opset}, {x}); });
}

TEST_P(Row, IsWhatItsOperatorMeansWithoutAttributes) {
  if (f.since == 0 || (f.form.attribute && f.name != f.form.op_type)) return;
  const Tensor x = random_tensor({100});
  EXPECT_TRUE(identical(run_op(op_of(f), {x})[0], run_op(op_of(f, f.alpha.fallback, f.beta.fallback), {x})[0]));
}

TEST_P(Row, RoundsOnceTo16Bits) {
  if (f.since == 0) return;
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const Tensor x = cast_to(random_uniform({600}, -6, 6), dtype);
    const Tensor wide = run_op(op_of(f), {cast_to(x, DType::kFloat32)})[0];
    expect_close(run_op(op_of(f), {x})[0], cast_to(wide, dtype));
  }
}

TEST_P(Row, RoundsIntegersTowardsZero) {
  if (f.since == 0 || !takes(f, DType::kInt32)) return;
  const Tensor x = Tensor::of<double>({-7, -2, -1, 0, 1, 2, 7});
  const Tensor want = run_op(op_of(f), {x})[0];
  for (const DType dtype : {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64}) {
    expect_close(run_op(op_of(f), {cast_to(x, dtype)})[0], cast_to(want, dtype));
  }
}

TEST_P(Row, IsFusedIntoTheProductBeforeIt) {
  if (f.since == 0 || !f.kernel) return;
  GraphBuilder b(opset_for(f));
  const ValueId x = b.input("x", Shape{5, 40});
  b.output(apply(b, f, b.op("MatMul", {x, b.constant(random_tensor({40, 30}, 1))})));
  EXPECT_EQ(count_nodes(b), 1);
  expect_unchanged(b, {random_tensor({5, 40}, 2)});
}

TEST_P(Row, IsALinkOfAChain) {
  if (f.since == 0 || !f.kernel) return;
  GraphBuilder b(opset_for(f));
  b.output(b.op("Neg", {apply(b, f, b.input("x", Shape{1000}))}));
  EXPECT_EQ(count_nodes(b), 1);
  ModelOptions as_written;
  as_written.optimization = 0;
  const std::vector<Tensor> x{random_tensor({1000})};
  EXPECT_TRUE(identical(run_model(b.model(), x)[0], run_model(b.model(as_written), x)[0]));
}

TEST_P(Row, LetsTheLayoutPass) {
  if (f.since == 0) return;
  GraphBuilder b(opset_for(f));
  const auto pool = [&](ValueId x) { return b.op("MaxPool", {x}, {{"kernel_shape", std::vector<int64_t>{1, 1}}}); };
  ValueId x = b.input("x", Shape{1, 3, 4, 4});
  for (int i = 0; i < 2; ++i) {
    x = b.op("Conv", {i == 0 ? x : pool(apply(b, f, pool(x))), b.constant(random_tensor({3, 3, 1, 1}))});
  }
  b.output(x);
  EXPECT_EQ(count_ops(model_graph(b.model()), "Transpose"), 2);
}

INSTANTIATE_TEST_SUITE_P(FunctionTable, Row, ::testing::ValuesIn(unary_functions()), [](const auto& test) {
  return std::string(test.param.name) + std::to_string(test.param.since);
});

}  // namespace
}  // namespace testing
}  // namespace linnet
