#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "ops/gemm/unit_product.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

// Tests products that are written over their residual.
namespace linnet::testing {
namespace {

void halve(const float* x, float* y, int64_t n, float, float) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] / 2;
}

/// Expects the same bits as with a residual in separate memory.
template <class Type>
void expect_same_over_residual(Isa isa, int64_t m, int64_t n, int64_t k, int64_t taps = 1, int workers = 1) {
  const auto& kernels = kernels_for<GemmKernels<Type>>(isa);
  if (!kernels.strip) return;
  UnitProduct<Type> apart(kernels, m, n, k, taps, workers), over(kernels, m, n, k, taps, workers);
  const Guarded<float> bias(n, 7), residual(m * n, 8), slope(n, 9);
  for (const int options : {0, 1, 2, 3, 5, 7}) {  // The bits are a bias, a PReLU and an activation.
    Epilogue epilogue;
    if (options & 1) epilogue.bias = bias.data();
    if (options & 2) epilogue.slope = slope.data();
    if (options & 4) epilogue.activation = halve;
    epilogue.low = -3;
    epilogue.residual_pitch = n;
    epilogue.residual = residual.data();
    apart.run(epilogue);
    std::copy_n(residual.data(), m * n, over.y.data());
    epilogue.residual = over.y.data();
    over.run(epilogue);
    ASSERT_EQ(std::memcmp(over.y.data(), apart.y.data(), size_t(m * n) * sizeof(float)), 0)
        << m << " x " << n << " x " << k << ", " << taps << " taps, options " << options;
  }
}

class OverResidual : public ::testing::TestWithParam<Isa> {
 protected:
  int lanes() const { return kernels_for<GemmKernels<GemmF32>>(GetParam()).lanes; }

  void check(int64_t m, int64_t n, int64_t k, int64_t taps = 1, int workers = 1) const {
    expect_same_over_residual<GemmF32>(GetParam(), m, n, k, taps, workers);
    expect_same_over_residual<GemmBFloat16Pairs>(GetParam(), m, n, k, taps, workers);
  }
};

TEST_P(OverResidual, GivesTheSameBitsForAllTileHeightsAndPanelEdges) {
  for (const int64_t m : {1, 2, 3, 4, 6, 7, 13, 24, 25, 33, 49}) {
    for (const int64_t n : {1, 5, lanes(), 2 * lanes() - 1, 4 * lanes(), 5 * lanes() + 3, 12 * lanes() + 5}) {
      check(m, n, 9);
    }
  }
}

TEST_P(OverResidual, GivesTheSameBitsForSeveralBlocksOfTheSum) {
  for (const int64_t k : {0, 511, 513, 1600, 3000}) check(14, 3 * lanes() + 5, k);
  for (const int64_t taps : {2, 9, 25}) check(14, 2 * lanes() + 1, 300, taps);
}

TEST_P(OverResidual, GivesTheSameBitsForSeveralWorkers) {
  for (const int workers : {2, 16}) check(200, 20 * lanes() + 5, 600, 1, workers);
}

INSTANTIATE_TEST_SUITE_P(Isas, OverResidual, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

/// Blocks of a network whose Adds become residuals. Each residual is read for the last time there.
struct Blocks {
  GraphBuilder b;
  std::vector<ValueId> residuals;

  template <class Product>
  ValueId add(ValueId x, Product product) {
    x = b.op("Sigmoid", {x});
    for (int64_t i = 1; i <= 3; ++i) {
      residuals.push_back(x);
      const ValueId inner = b.op("Tanh", {product(x, i)});
      x = b.op("Relu", {b.op("Add", {product(inner, i + 10), x})});
    }
    return x;
  }
};

enum class Readers { kNone, kOutputs, kLaterNode };

template <class Product>
Blocks blocks(const Shape& shape, Readers readers, Product product) {
  Blocks all;
  ValueId y = all.add(all.b.input("x", shape), [&](ValueId x, int64_t seed) { return product(all.b, x, seed); });
  all.b.output(y);
  for (const ValueId residual : all.residuals) {
    if (readers == Readers::kOutputs) all.b.output(residual);
    if (readers == Readers::kLaterNode) all.b.output(all.b.op("Cos", {all.b.op("Sub", {y, residual})}));
  }
  return all;
}

/// Returns the bytes of values in a run, including those that it returns.
int64_t arena_bytes(const Model& model, const Tensor& x) {
  Context context(model);
  context.run(std::vector<Tensor>{x});
  return context.memory().arena_bytes;
}

/// Expects that:
/// - the network gives the same bits, whether other readers of the residuals exist or not
/// - residuals are as without rewrites
/// - with products over their residuals, `values` values are in memory at the same time
template <class Product>
void expect_unchanged_residuals(const Shape& shape, int64_t values, Product product) {
  const Tensor x = random_tensor(shape, 3);
  const Tensor alone = run_model(blocks(shape, Readers::kNone, product).b.model(), {x})[0];
  for (const Readers readers : {Readers::kOutputs, Readers::kLaterNode}) {
    const Blocks all = blocks(shape, readers, product);
    ModelOptions plain;
    plain.optimization = 0;
    const std::vector<Tensor> outputs = run_model(all.b.model(), {x}), want = run_model(all.b.model(plain), {x});
    ASSERT_EQ(outputs.size(), 1 + all.residuals.size());
    for (size_t i = 0; i < outputs.size(); ++i) expect_close(outputs[i], want[i], 1e-4, 1e-4);
    ASSERT_EQ(std::memcmp(alone.raw(), outputs[0].raw(), alone.bytes()), 0);
  }
  EXPECT_EQ(arena_bytes(blocks(shape, Readers::kNone, product).b.model(), x), values * int64_t(x.bytes()));
}

TEST(ResidualOfAModel, IsKeptWhereItIsReadLater) {
  const auto matmul = [](GraphBuilder& b, ValueId x, int64_t seed) {
    return b.op("MatMul", {x, b.constant(random_tensor({48, 48}, unsigned(seed)))});
  };
  expect_unchanged_residuals({2, 30, 48}, 2, matmul);
  for (const int64_t kernel : {1, 3}) {
    const auto conv = [kernel](GraphBuilder& b, ValueId x, int64_t seed) {
      const Tensor w = random_tensor({32, 32, kernel, kernel}, unsigned(seed));
      const int64_t pad = kernel / 2;
      return b.op("Conv", {x, b.constant(w)}, {{"pads", std::vector<int64_t>{pad, pad, pad, pad}}});
    };
    expect_unchanged_residuals({1, 32, 20, 20}, 3, conv);  // One of them is the output in its own layout.
  }
}

}  // namespace
}  // namespace linnet::testing
