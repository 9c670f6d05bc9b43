#include <gtest/gtest.h>

#include "ops/rewrites/graph_parts.h"
#include "support/expect_unchanged.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

// Tests fuse_casts_into_normalization: rows of 16 bits are converted where they are normalised.
namespace linnet::testing {
namespace {

const Shape kShape{2, 5, 133};

/// A normalisation whose parameters are constants. Those of the shape [5, 1] are no row.
ValueId normalized(GraphBuilder& b, const std::string& op, ValueId x, DType dtype, const Shape& parameter = {133}) {
  std::vector<ValueId> inputs{x, b.constant(cast_to(random_tensor(parameter, 1), dtype))};
  if (op == "LayerNormalization") inputs.push_back(b.constant(cast_to(random_tensor(parameter, 2), dtype)));
  return b.op(op, inputs);
}

void expect_identical(const GraphBuilder& b, DType dtype) {
  ModelOptions without;
  without.disabled_rewrites = {"fuse_casts_into_normalization"};
  const std::vector<Tensor> x{cast_to(random_tensor(kShape), dtype)};
  const std::vector<Tensor> got = run_model(b.model(), x), want = run_model(b.model(without), x);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(identical(got[i], want[i])) << i;
}

TEST(FuseCastsIntoNormalization, ReadsAndWritesHalves) {
  for (const DType dtype : kHalves) {
    for (const std::string op : {"LayerNormalization", "RMSNormalization"}) {
      for (const Shape& parameter : {Shape{133}, Shape{5, 1}}) {
        GraphBuilder b(23);
        b.output(normalized(b, op, b.input("x", Fact(dtype, kShape)), dtype, parameter));
        EXPECT_EQ(optimized_ops(b), "+" + op);
        expect_identical(b, dtype);
      }
    }
  }
}

TEST(FuseCastsIntoNormalization, KeepsTheStatistics) {
  GraphBuilder b(23);
  const ValueId x = b.input("x", Fact(DType::kFloat16, kShape));
  const ValueId scale = b.constant(cast_to(random_tensor({133}, 1), DType::kFloat16));
  for (const ValueId y : b.ops("LayerNormalization", {x, scale}, 3)) b.output(y);
  EXPECT_EQ(optimized_ops(b), "+LayerNormalization");
  expect_identical(b, DType::kFloat16);
}

TEST(FuseCastsIntoNormalization, OneOfTheCastsIsEnough) {
  GraphBuilder reads(23), writes(23);
  const ValueId x = reads.input("x", Fact(DType::kFloat16, kShape));
  reads.output(reads.op("Softmax", {normalized(reads, "RMSNormalization", x, DType::kFloat16)}));
  EXPECT_EQ(optimized_ops(reads), "+RMSNormalization Softmax Cast");
  expect_identical(reads, DType::kFloat16);
  const ValueId y = writes.op("Softmax", {writes.input("x", Fact(DType::kFloat16, kShape))});
  writes.output(normalized(writes, "RMSNormalization", y, DType::kFloat16));
  EXPECT_EQ(optimized_ops(writes), "Cast Softmax +RMSNormalization");
  expect_identical(writes, DType::kFloat16);
}

TEST(FuseCastsIntoNormalization, DoesNotRepeatACast) {
  GraphBuilder b(23);
  const ValueId x = b.input("x", Fact(DType::kFloat16, kShape));
  b.output(
      b.op("Softmax", {b.op("Add", {x, b.op("Softmax", {normalized(b, "RMSNormalization", x, DType::kFloat16)})})}));
  EXPECT_EQ(optimized_ops(b), "Cast RMSNormalization Softmax Add Softmax Cast");
}

TEST(FuseCastsIntoNormalization, LeavesFloat64AsItIs) {
  GraphBuilder b(23);
  const ValueId x = b.op("Cast", {b.input("x", Fact(DType::kFloat32, kShape))}, {{"to", int64_t(DType::kFloat64)}});
  b.output(normalized(b, "RMSNormalization", x, DType::kFloat64));
  EXPECT_EQ(optimized_ops(b), "Cast RMSNormalization");
}

}  // namespace
}  // namespace linnet::testing
