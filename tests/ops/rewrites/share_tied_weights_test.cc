#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kWords = 600, kWidth = 64;

Tensor transposed(const Tensor& x) {
  Tensor y(x.dtype(), {x.dim(1), x.dim(0)});
  for (int64_t i = 0; i < x.dim(0); ++i) {
    for (int64_t j = 0; j < x.dim(1); ++j) y.data<float>()[j * x.dim(0) + i] = x.data<float>()[i * x.dim(1) + j];
  }
  return y;
}

/// An embedding of tokens, operators in between, and a product with the weights.
class Language {
 public:
  GraphBuilder b;
  Tensor table = random_tensor({kWords, kWidth}, 1);
  Tensor weights = transposed(table);
  ValueId tokens = b.input("tokens", Fact(DType::kInt64, Dims{2, Dim("N")}));

  ValueId embed(ValueId values, const Attributes& attributes = {}) {
    return b.op("Gather", {values, tokens}, attributes);
  }
  void score(ValueId x) { b.output(b.op("MatMul", {b.op("Tanh", {x}), b.constant(weights)})); }
  std::vector<Tensor> inputs() const {
    return {Tensor::of({2, 3}, std::vector<int64_t>{0, kWords - 1, -1, 7, 8, 323})};
  }

  void expect_kept() const {
    expect_unchanged(b, inputs());
    EXPECT_EQ(optimized_ops(b).find("GatherColumns"), std::string::npos);
  }
};

TEST(ShareTiedWeights, OneConstantServesBoth) {
  Language m;
  m.score(m.embed(m.b.constant(m.table)));
  EXPECT_EQ(optimized_ops(m.b), "+GatherColumns Tanh MatMul");
  const Model plain = m.b.model({.optimization = 0}), model = m.b.model();
  EXPECT_TRUE(identical(run_model(model, m.inputs())[0], run_model(plain, m.inputs())[0]));
}

TEST(ShareTiedWeights, SoItIsWhereTheGraphTransposesThem) {
  Language m;
  const ValueId table = m.b.constant(m.table);
  const ValueId x = m.b.op("Tanh", {m.embed(table, {{"axis", int64_t{-2}}})});
  m.b.output(m.b.op("MatMul", {x, m.b.op("Transpose", {table})}));
  expect_unchanged(m.b, m.inputs());
  EXPECT_EQ(optimized_ops(m.b), "+GatherColumns Tanh MatMul");
}

TEST(ShareTiedWeights, SoAreHalves) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    Language m;
    const ValueId table = m.b.constant(cast_to(m.table, dtype));
    const ValueId x = m.b.op("Tanh", {m.embed(table)});
    m.b.output(m.b.op("MatMul", {x, m.b.op("Transpose", {table})}));
    EXPECT_EQ(count_ops(m.b.model(), "GatherColumns", "linnet"), 1) << dtype;
    const auto got = run_model(m.b.model(), m.inputs()), want = run_model(m.b.model({.optimization = 0}), m.inputs());
    expect_close(cast_to(got[0], DType::kFloat32), cast_to(want[0], DType::kFloat32), 0.02, 0.02);
  }
}

TEST(ShareTiedWeights, OtherWeightsStay) {
  for (const int64_t at : {int64_t{0}, kWidth - 1, kWidth * (kWords - 1), kWidth * kWords - 1}) {
    Language m;
    m.table.data<float>()[at] += 1;
    m.score(m.embed(m.b.constant(m.table)));
    m.expect_kept();
  }
}

TEST(ShareTiedWeights, WeightsOfAnotherShapeStay) {
  Language m;
  m.weights = random_tensor({kWidth, kWords + 1});
  m.score(m.embed(m.b.constant(m.table)));
  m.expect_kept();
}

TEST(ShareTiedWeights, GatheredColumnsStay) {
  Language m;
  const Tensor square = random_tensor({kWords, kWords});
  m.weights = transposed(square);
  const ValueId x = m.embed(m.b.constant(square), {{"axis", int64_t{1}}});
  m.score(m.b.op("Transpose", {x}, {{"perm", std::vector<int64_t>{1, 2, 0}}}));
  m.expect_kept();
}

TEST(ShareTiedWeights, ATableThatOthersReadStays) {
  Language read;
  const ValueId table = read.b.constant(read.table);
  read.score(read.embed(table));
  read.b.output(read.b.op("Add", {table, read.b.input("more", Shape{kWidth})}));
  EXPECT_EQ(count_ops(read.b.model(), "GatherColumns", "linnet"), 0);
  Language given;
  const ValueId output = given.b.constant(given.table);
  given.score(given.embed(output));
  given.b.output(output);
  EXPECT_EQ(count_ops(given.b.model(), "GatherColumns", "linnet"), 0);
}

TEST(ShareTiedWeights, ATableThatIsAnInputStays) {
  Language m;
  const ValueId x = m.embed(m.b.input("table", Shape{kWords, kWidth}));
  m.score(x);
  EXPECT_EQ(count_ops(m.b.model(), "GatherColumns", "linnet"), 0);
}

TEST(ShareTiedWeights, SmallTablesStay) {
  Language m;
  m.table = random_tensor({20, kWidth});
  m.weights = transposed(m.table);
  m.score(m.embed(m.b.constant(m.table)));
  EXPECT_EQ(count_ops(m.b.model(), "GatherColumns", "linnet"), 0);
}

TEST(ShareTiedWeights, WideTablesStay) {
  Language m;
  m.table = random_tensor({8, (1 << 14) + 1});
  const ValueId table = m.b.constant(m.table);
  m.b.output(m.b.op("MatMul", {m.b.op("Tanh", {m.embed(table)}), m.b.op("Transpose", {table})}));
  EXPECT_EQ(count_ops(m.b.model(), "GatherColumns", "linnet"), 0);
}

TEST(ShareTiedWeights, OtherTypesStay) {
  Language m;
  const ValueId table = m.b.constant(cast_to(m.table, DType::kFloat64));
  const ValueId x = m.b.op("Tanh", {m.embed(table)});
  m.b.output(m.b.op("MatMul", {x, m.b.op("Transpose", {table})}));
  EXPECT_EQ(count_ops(m.b.model(), "GatherColumns", "linnet"), 0);
}

TEST(ShareTiedWeights, TablesOfOtherRanksStay) {
  Language m;
  const ValueId table = m.b.constant(m.table.reshaped({kWords, 1, kWidth}));
  m.score(m.b.op("Squeeze", {m.embed(table), m.b.constant(Tensor::of<int64_t>({2}))}));
  EXPECT_EQ(count_ops(m.b.model(), "GatherColumns", "linnet"), 0);
}

}  // namespace
}  // namespace linnet::testing
