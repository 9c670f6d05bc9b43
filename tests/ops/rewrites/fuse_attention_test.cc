#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "ops/rewrites/graph_parts.h"
#include "support/expect_unchanged.h"
#include "support/run_op.h"
#include "support/special_floats.h"

namespace linnet::testing::fuse_attention {
namespace {

constexpr int64_t kBatch = 2, kHeads = 3, kQueries = 4, kKeys = 5, kSize = 8;
constexpr float kLowest = std::numeric_limits<float>::lowest();
const Shape kQ{kBatch, kHeads, kQueries, kSize}, kK{kBatch, kHeads, kKeys, kSize};

using Operation = std::function<ValueId(GraphBuilder&, ValueId)>;

ValueId transpose(GraphBuilder& b, ValueId x, const std::vector<int64_t>& perm) {
  return b.op("Transpose", {x}, {{"perm", perm}});
}

ValueId same(GraphBuilder&, ValueId x) { return x; }

Operation times(float factor) {
  return [=](GraphBuilder& b, ValueId x) { return b.op("Mul", {x, num(b, factor)}); };
}

Operation over(float divisor) {
  return [=](GraphBuilder& b, ValueId x) { return b.op("Div", {x, num(b, divisor)}); };
}

/// The operations on the way from q, k and v to the result.
struct Written {
  Operation q = same, k = same, scores = same, probabilities = same;
  int64_t axis = -1;
  Shape q_shape = kQ, k_shape = kK, v_shape = kK;
};

std::vector<Tensor> inputs_of(const Written& w) {
  return {random_tensor(w.q_shape, 1), random_tensor(w.k_shape, 2), random_tensor(w.v_shape, 3)};
}

ValueId written(GraphBuilder& b, const Written& w) {
  const ValueId q = b.input("q", w.q_shape), k = b.input("k", w.k_shape), v = b.input("v", w.v_shape);
  const ValueId product = b.op("MatMul", {w.q(b, q), w.k(b, transpose(b, k, {0, 1, 3, 2}))});
  const ValueId p = b.op("Softmax", {w.scores(b, product)}, {{"axis", w.axis}});
  return b.op("MatMul", {w.probabilities(b, p), v});
}

void expect_written_ops(const Written& w, const std::string& ops) {
  GraphBuilder b;
  b.output(written(b, w));
  EXPECT_EQ(optimized_ops(b), ops);
  expect_unchanged(b, inputs_of(w));
}

int fused(const GraphBuilder& b) {
  const Model model = b.model();
  return count_ops(model, "Attention") + count_ops(model, "Attention", "linnet");
}

void expect_not_fused(const Written& w) {
  GraphBuilder b;
  b.output(written(b, w));
  EXPECT_EQ(fused(b), 0);
  expect_unchanged(b, inputs_of(w));
}

Operation plus(const Tensor& mask) {
  return [=](GraphBuilder& b, ValueId x) { return b.op("Add", {b.constant(mask), x}); };
}

Tensor alternating(const Shape& shape) {
  Tensor keep(DType::kBool, shape);
  for (int64_t i = 0; i < keep.size(); ++i) keep.data<bool>()[i] = i % 3 != 1;
  return keep;
}

/// Returns Where(keep, scores, hidden), or with the operands swapped.
Operation selected(const Tensor& keep, float hidden, bool swapped = false) {
  return [=](GraphBuilder& b, ValueId x) {
    const ValueId h = num(b, hidden);
    return b.op("Where", {b.constant(keep), swapped ? h : x, swapped ? x : h});
  };
}

ValueId zero_where_nan(GraphBuilder& b, ValueId p) { return b.op("Where", {b.op("IsNaN", {p}), num(b, 0), p}); }

Operation then(const Operation& first, const Operation& second) {
  return [=](GraphBuilder& b, ValueId x) { return second(b, first(b, x)); };
}

/// Returns a mask that is `value` where it hides a key. It hides all keys from the first query.
Tensor hiding(float value) {
  Tensor mask(DType::kFloat32, {kQueries, kKeys});
  for (int64_t i = 0; i < mask.size(); ++i) mask.data<float>()[i] = i < kKeys || i % 3 == 0 ? value : 0;
  return mask;
}

TEST(FuseAttention, WhereverTheScaleStands) {
  for (const Operation& q : {Operation(same), times(0.5f)}) {
    for (const Operation& k : {Operation(same), times(0.5f), over(3)}) {
      for (const Operation& scores : {Operation(same), times(0.25f), over(std::sqrt(8.0f))}) {
        expect_written_ops({.q = q, .k = k, .scores = scores}, "Attention");
      }
    }
  }
}

TEST(FuseAttention, NotWithoutHeads) {
  Written none;
  none.q_shape = none.k_shape = none.v_shape = {kBatch, 0, kQueries, kSize};
  expect_not_fused(none);
}

TEST(FuseAttention, MasksThatAreAdded) {
  for (const Shape& shape :
       {Shape{kKeys}, Shape{kQueries, kKeys}, Shape{kBatch, 1, 1, kKeys}, Shape{kBatch, kHeads, kQueries, kKeys}}) {
    expect_written_ops({.scores = then(times(0.3f), plus(random_tensor(shape, 4)))}, "Attention");
  }
}

TEST(FuseAttention, MasksThatSelect) {
  const Tensor keep = alternating({kBatch, 1, kQueries, kKeys});
  for (const float hidden : {-kInf, kLowest}) {
    for (const bool swapped : {false, true}) {
      Written w{.scores = then(over(2), selected(keep, hidden, swapped)), .probabilities = zero_where_nan};
      expect_written_ops(w, "Attention");
    }
  }
}

TEST(FuseAttention, SoftcapAndTwoMasks) {
  const Operation cap = then(times(0.1f), [](GraphBuilder& b, ValueId x) { return b.op("Tanh", {x}); });
  const Operation masks = then(plus(random_tensor({kHeads, 1, kKeys}, 4)), selected(alternating({kKeys}), kLowest));
  expect_written_ops({.scores = then(then(cap, times(20)), masks)}, "+Attention");
}

TEST(FuseAttention, AllKeysHiddenGiveWhatIsWritten) {
  for (const float hidden : {-kInf, kLowest}) {
    expect_written_ops({.scores = plus(hiding(hidden))}, std::isinf(hidden) ? "+Attention" : "Attention");
    expect_written_ops({.scores = plus(hiding(hidden)), .probabilities = zero_where_nan}, "Attention");
  }
}

TEST(FuseAttention, AMaskOfTheRunMayHideAll) {
  GraphBuilder b;
  const Operation masked = [](GraphBuilder& g, ValueId x) {
    return g.op("Add", {x, g.input("mask", Shape{kQueries, kKeys})});
  };
  const Written w{.scores = masked};
  b.output(written(b, w));
  EXPECT_EQ(optimized_ops(b), "+Attention");
  std::vector<Tensor> inputs = inputs_of(w);
  inputs.push_back(hiding(-kInf));
  expect_unchanged(b, inputs);
}

TEST(FuseAttention, OneHeadOfKeysAndValuesForAll) {
  const Shape one{kBatch, 1, kKeys, kSize};
  expect_written_ops({.k_shape = one, .v_shape = one}, "Attention");
}

TEST(FuseAttention, KeysThatAreTransposedOtherwise) {
  GraphBuilder b;
  const ValueId q = b.input("q", kQ), k = b.input("k", {kBatch, kKeys, kHeads, kSize}), v = b.input("v", kK);
  const ValueId scores = b.op("MatMul", {q, transpose(b, k, {0, 2, 3, 1})});
  b.output(b.op("MatMul", {b.op("Softmax", {scores}, {{"axis", 3}}), v}));
  EXPECT_EQ(optimized_ops(b), "Transpose Attention");
  expect_unchanged(b, {random_tensor(kQ), random_tensor({kBatch, kKeys, kHeads, kSize}, 2), random_tensor(kK, 3)});
}

TEST(FuseAttention, OldSoftmaxAlongTheLastAxis) {
  for (const int64_t axis : {1, 3}) {
    GraphBuilder b(11);
    b.output(written(b, {.axis = axis}));
    EXPECT_EQ(fused(b), axis == 3);
    expect_unchanged(b, inputs_of({}));
  }
}

TEST(FuseAttention, NotAlongAnotherAxis) { expect_not_fused({.axis = 2}); }

TEST(FuseAttention, NotWhereBatchesOrHeadsAreBroadcast) {
  expect_not_fused({.q_shape = {1, kHeads, kQueries, kSize}});
  expect_not_fused({.q_shape = {kBatch, 1, kQueries, kSize}});
  expect_not_fused({.k_shape = {1, kHeads, kKeys, kSize}});
  expect_not_fused({.v_shape = {1, kHeads, kKeys, kSize}});
  expect_not_fused({.v_shape = {kBatch, 1, kKeys, kSize}});
}

ValueId of_matrices(GraphBuilder& b, const Shape& shape, const Tensor& mask) {
  std::vector<int64_t> perm;
  for (int i = 0; i < shape.rank(); ++i) perm.push_back(i);
  std::swap(perm[perm.size() - 2], perm.back());
  const ValueId q = b.input("q", shape), k = b.input("k", shape);
  const ValueId scores = b.op("Add", {b.op("MatMul", {q, transpose(b, k, perm)}), b.constant(mask)});
  return b.op("MatMul", {b.op("Softmax", {scores}), b.input("v", shape)});
}

TEST(FuseAttention, MatricesAreHeadsOfOneSample) {
  const Shape matrices{kHeads, kKeys, kSize};
  GraphBuilder b;
  b.output(of_matrices(b, matrices, random_tensor({kHeads, 1, kKeys}, 4)));
  EXPECT_EQ(optimized_ops(b), "Unsqueeze Unsqueeze Unsqueeze Attention Squeeze");
  expect_unchanged(b, {random_tensor(matrices), random_tensor(matrices, 2), random_tensor(matrices, 3)});
}

TEST(FuseAttention, NotOfAnotherRank) {
  for (const Shape& shape : {Shape{kKeys, kSize}, Shape{2, kBatch, kHeads, kKeys, kSize}}) {
    GraphBuilder b;
    b.output(of_matrices(b, shape, random_tensor({kKeys}, 4)));
    EXPECT_EQ(fused(b), 0);
  }
}

TEST(FuseAttention, NotWhereAMaskChangesTheShape) {
  expect_not_fused({.scores = plus(random_tensor({kKeys}, 4)), .k_shape = {kBatch, kHeads, 1, kSize}});
  expect_not_fused({.scores = plus(random_tensor({2, 1, 1, 1, 1}, 4)), .v_shape = {2, kBatch, kHeads, kKeys, kSize}});
}

TEST(FuseAttention, NotWhereAMaskHasNoValueForEachKey) {
  expect_not_fused({.scores = plus(random_tensor({kQueries, 1}, 4))});
}

TEST(FuseAttention, NotWhereHiddenScoresCount) { expect_not_fused({.scores = selected(alternating({kKeys}), -2)}); }

TEST(FuseAttention, NotWhereNanBecomesAnotherNumber) {
  expect_not_fused({.probabilities = [](GraphBuilder& b, ValueId p) {
    return b.op("Where", {b.op("IsNaN", {p}), num(b, 1), p});
  }});
}

TEST(FuseAttention, NotWhereZeroInPlaceOfNanAddsAxes) {
  expect_not_fused({.probabilities = [](GraphBuilder& b, ValueId p) {
    const ValueId zero = b.constant(Tensor::of(Shape{1, 1, 1, 1, 1}, std::vector<float>{0}));
    return b.op("Where", {b.op("IsNaN", {p}), zero, p});
  }});
}

TEST(FuseAttention, NotWhereAProductFollowsTheSoftmax) { expect_not_fused({.probabilities = times(2)}); }

TEST(FuseAttention, NotInDouble) {
  GraphBuilder b;
  const ValueId q = b.input("q", Fact(DType::kFloat64, kQ)), k = b.input("k", Fact(DType::kFloat64, kK));
  const ValueId p = b.op("Softmax", {b.op("MatMul", {q, transpose(b, k, {0, 1, 3, 2})})});
  b.output(b.op("MatMul", {p, k}));
  EXPECT_EQ(fused(b), 0);
}

// Values that are read elsewhere must be computed anyway.
TEST(FuseAttention, NotWhereAValueInsideIsReadElsewhere) {
  const auto read = [](const Operation& operation, bool output) {
    return [=](GraphBuilder& b, ValueId x) {
      const ValueId y = operation(b, x);
      b.output(output ? y : b.op("Abs", {y}));
      return y;
    };
  };
  for (const bool output : {false, true}) {
    expect_not_fused({.scores = read(same, output)});
    expect_not_fused({.scores = read(plus(random_tensor({kKeys}, 4)), output)});
    expect_not_fused({.probabilities = read(same, output)});
    expect_not_fused({.probabilities = read(zero_where_nan, output)});
    expect_not_fused({.probabilities = then(read(same, output), zero_where_nan)});
  }
}

// A scale whose result is read elsewhere stays before the attention.
TEST(FuseAttention, AScaledQueryThatIsReadElsewhereIsTheQuery) {
  const Operation q = [](GraphBuilder& b, ValueId x) {
    const ValueId y = times(0.5f)(b, x);
    b.output(y);
    return y;
  };
  expect_written_ops({.q = q}, "Mul Attention");
}

// Symbolic dims, even of one name, could still be broadcast. A plan knows them.
TEST(FuseAttention, WaitsForDims) {
  for (const bool known : {false, true}) {
    GraphBuilder b;
    const Dim batch = known ? Dim(kBatch) : Dim("N");
    const auto input = [&](const char* name, int64_t length) {
      return b.input(name, Fact(DType::kFloat32, Dims{batch, kHeads, length, kSize}));
    };
    const ValueId q = input("q", kQueries), k = input("k", kKeys), v = input("v", kKeys);
    const ValueId p = b.op("Softmax", {b.op("MatMul", {q, transpose(b, k, {0, 1, 3, 2})})});
    b.output(b.op("MatMul", {p, v}));
    EXPECT_EQ(fused(b), known);
    expect_unchanged(b, inputs_of({}));
  }
}

}  // namespace
}  // namespace linnet::testing::fuse_attention
