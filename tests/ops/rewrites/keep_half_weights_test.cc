#include <gtest/gtest.h>

#include <set>

#include "ops/rewrites/graph_parts.h"
#include "run/model_graph.h"
#include "support/expect_unchanged.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// A graph of one value of `dtype` whose constants are rounded to `rounded`.
struct Network {
  Network(DType dtype_, DType rounded_, const Shape& x_shape)
      : dtype(dtype_), rounded(rounded_), x(b.input("x", Fact(dtype_, x_shape))) {}

  ValueId weights(const Shape& shape, unsigned seed) {
    return b.constant(cast_to(cast_to(random_tensor(shape, seed), rounded), dtype));
  }

  DType dtype, rounded;
  GraphBuilder b;
  ValueId x;
};

/// Returns the bytes of the constants of a dtype in an optimised graph.
size_t constant_bytes(const Model& model, DType dtype) {
  const Graph& graph = model_graph(model);
  std::set<const void*> seen;
  size_t bytes = 0;
  for (const NodeId id : graph.nodes()) {
    for (const ValueId input : graph.node(id).inputs) {
      const Tensor& value = graph.fact(input).constant;
      if (value && value.dtype() == dtype && seen.insert(value.raw()).second) bytes += value.bytes();
    }
  }
  return bytes;
}

/// Expects that `build` gives the same operators and numbers in halves as in float32, and that `elements` elements stay
/// halves.
template <class Build>
void expect_kept_as_halves(const Build& build, const Shape& shape, int64_t elements) {
  for (const DType dtype : kHalves) {
    Network half(dtype, dtype, shape), wide(DType::kFloat32, dtype, shape);
    half.b.output(build(half));
    wide.b.output(build(wide));
    const Model model = half.b.model();
    EXPECT_EQ(constant_bytes(model, dtype), size_t(elements) * 2);
    const Tensor x = cast_to(random_tensor(shape, 9), dtype);
    const Tensor y = run_model(wide.b.model(), {cast_to(x, DType::kFloat32)})[0];
    expect_close(run_model(model, {x})[0], cast_to(y, dtype));
  }
}

TEST(KeepHalfWeights, MatMulAndGemmReadThemAsTheyAre) {
  expect_kept_as_halves(
      [](Network& n) {
        const ValueId y = n.b.op("Add", {n.b.op("MatMul", {n.x, n.weights({64, 96}, 1)}), n.weights({96}, 2)});
        return n.b.op("Gemm", {n.b.op("Relu", {y}), n.weights({80, 96}, 3), n.weights({80}, 4)},
                      {{"transB", int64_t{1}}});
      },
      {5, 64}, 64 * 96 + 80 * 96);
}

TEST(KeepHalfWeights, ConvolutionsReadThemAsTheyAre) {
  expect_kept_as_halves(
      [](Network& n) {
        const ValueId y = n.b.op("Relu", {n.b.op("Conv", {n.x, n.weights({96, 64, 1, 1}, 1), n.weights({96}, 2)})});
        return n.b.op("Conv", {y, n.weights({32, 96, 3, 3}, 3)}, {{"strides", std::vector<int64_t>{2, 2}}});
      },
      {1, 64, 9, 9}, 96 * 64 + 32 * 96 * 9);
}

/// Weights of single pixels are widened where that costs less than to transpose the pixels.
TEST(KeepHalfWeights, PlanesOfManyPixelsStayPlanes) {
  for (const int64_t pixels : {40, 13}) {
    const int64_t channels = pixels > 20 ? 100 : 700;
    const auto ops = [&](DType dtype) {
      Network n(dtype, DType::kFloat16, {1, channels, pixels, pixels});
      n.b.output(n.b.op("Conv", {n.x, n.weights({channels, channels, 1, 1}, 1)}));
      return optimized_ops(n.b);
    };
    EXPECT_EQ(ops(DType::kFloat32), "+PlaneConv");
    EXPECT_EQ(ops(DType::kFloat16), pixels > 20 ? "Cast +PlaneConv Cast" : "Cast Transpose +Conv Cast Transpose");
  }
  expect_kept_as_halves(
      [](Network& n) {
        return n.b.op("Conv", {n.x, n.weights({90, 100, 1, 1}, 1)});
      },
      {2, 100, 20, 20}, 90 * 100);
}

TEST(KeepHalfWeights, AConstantIsTransposedAsItIs) {
  expect_kept_as_halves(
      [](Network& n) {
        return n.b.op("MatMul", {n.x, n.b.op("Transpose", {n.weights({96, 64}, 1)})});
      },
      {5, 64}, 64 * 96);
}

TEST(KeepHalfWeights, ScalesAreFoldedIntoFloat32) {
  expect_kept_as_halves(
      [](Network& n) {
        return n.b.op("Mul", {n.b.op("MatMul", {n.x, n.weights({64, 96}, 1)}), n.weights({96}, 2)});
      },
      {5, 64}, 0);
  expect_kept_as_halves(
      [](Network& n) {
        return n.b.op("Mul", {n.b.op("Conv", {n.x, n.weights({96, 64, 1, 1}, 1)}), n.weights({1, 96, 1, 1}, 2)});
      },
      {1, 64, 9, 9}, 0);
}

TEST(KeepHalfWeights, FewAreWidened) {
  expect_kept_as_halves([](Network& n) { return n.b.op("MatMul", {n.x, n.weights({64, 8}, 1)}); }, {5, 64}, 0);
}

TEST(KeepHalfWeights, AProductThatScalesReadsFloat32) {
  expect_kept_as_halves(
      [](Network& n) {
        return n.b.op("Gemm", {n.x, n.weights({64, 96}, 1)}, {{"alpha", 0.3f}});
      },
      {5, 64}, 0);
}

TEST(KeepHalfWeights, GroupsReadFloat32) {
  expect_kept_as_halves(
      [](Network& n) {
        return n.b.op("Conv", {n.x, n.weights({64, 8, 3, 3}, 1)}, {{"group", int64_t{8}}});
      },
      {1, 64, 9, 9}, 0);
}

TEST(KeepHalfWeights, OtherReadersGetFloat32) {
  expect_kept_as_halves(
      [](Network& n) {
        const ValueId w = n.weights({64, 64}, 1);
        return n.b.op("MatMul", {n.b.op("Mul", {n.b.op("Sin", {n.x}), w}), w});
      },
      {64, 64}, 64 * 64);
}

TEST(KeepHalfWeights, WeightsThatAFloat32ModelCastsStayAsTheyAre) {
  for (const DType dtype : kHalves) {
    const Tensor w = cast_to(random_tensor({64, 96}), dtype);
    GraphBuilder half, wide;
    for (GraphBuilder* b : {&half, &wide}) {
      const ValueId weights = b == &half ? b->op("Cast", {b->constant(w)}, {{"to", int64_t(DType::kFloat32)}})
                                         : b->constant(cast_to(w, DType::kFloat32));
      b->output(b->op("MatMul", {b->input("x", Shape{5, 64}), weights}));
    }
    const Model model = half.model();
    EXPECT_EQ(constant_bytes(model, dtype), w.bytes());
    const Tensor x = random_tensor({5, 64}, 9);
    expect_close(run_model(model, {x})[0], run_model(wide.model(), {x})[0]);
  }
}

TEST(KeepHalfWeights, WithoutRewritesThereIsNoOperatorOfLinnets) {
  for (const int optimization : {0, 1}) {
    Network n(DType::kFloat16, DType::kFloat16, {5, 64});
    n.b.output(n.b.op("MatMul", {n.x, n.weights({64, 96}, 1)}));
    ModelOptions options;
    options.optimization = optimization;
    const Model model = n.b.model(options);
    EXPECT_EQ(count_ops(model, "Cast", "linnet") + count_ops(model, "MatMul", "linnet"), 0);
    const Tensor x = cast_to(random_tensor({5, 64}, 9), DType::kFloat16);
    expect_close(run_model(model, {x})[0], run_model(n.b.model(), {x})[0]);
  }
}

TEST(KeepHalfWeights, CanBeLeftOut) {
  Network n(DType::kFloat16, DType::kFloat16, {5, 64});
  n.b.output(n.b.op("MatMul", {n.x, n.weights({64, 96}, 1)}));
  ModelOptions without;
  without.disabled_rewrites = {"keep_half_weights"};
  const Model model = n.b.model(without);
  EXPECT_EQ(constant_bytes(model, DType::kFloat16), 0u);
  const Tensor x = cast_to(random_tensor({5, 64}, 9), DType::kFloat16);
  expect_close(run_model(model, {x})[0], run_model(n.b.model(), {x})[0]);
}

}  // namespace
}  // namespace linnet::testing
