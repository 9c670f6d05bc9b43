#include "quantizer/grids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

Layer layer_of(const Tensor& weights, int axis, const Tensor& bias = {}) { return {0, weights, bias, axis}; }

/// Returns the largest difference of weights from their quantised values, in scales.
double worst_error(const Layer& layer, const ByteWeights& bytes) {
  const int64_t inner =
      layer.axis + 1 < layer.weights.rank() ? layer.weights.shape().elements(layer.axis + 1, layer.weights.rank()) : 1;
  double worst = 0;
  for (int64_t i = 0; i < layer.weights.size(); ++i) {
    const int64_t channel = bytes.scale.rank() == 0 ? 0 : i / inner % layer.channels();
    const double scale = double(bytes.scale.data<float>()[channel]);
    const double error = double(layer.weights.data<float>()[i]) - scale * bytes.values.data<int8_t>()[i];
    worst = std::max(worst, std::abs(error) / scale);
  }
  return worst;
}

TEST(ActivationGrid, HoldsItsRange) {
  const ActivationGrid grid(ValueRange{-1, 3});
  EXPECT_FLOAT_EQ(grid.scale, 4.0f / 255);
  EXPECT_EQ(grid.zero, 64);
  EXPECT_EQ(ActivationGrid(ValueRange{0, 5}).zero, 0);
  EXPECT_EQ(ActivationGrid(ValueRange{-5, 0}).zero, 255);
}

TEST(ActivationGrid, OfNothingAndOfEverythingHasAScale) {
  constexpr float kMost = std::numeric_limits<float>::max();
  EXPECT_EQ(ActivationGrid(ValueRange{}).scale, 1);
  EXPECT_NEAR(ActivationGrid(ValueRange{-kMost, kMost}).zero, 128, 1);
}

TEST(ByteWeights, AreWithinHalfTheScale) {
  for (const int axis : {0, 1}) {
    for (const bool per_channel : {false, true}) {
      const Layer layer = layer_of(random_tensor({7, 5, 3, 3}), axis);
      const ByteWeights bytes = quantize_weights(layer, {per_channel});
      EXPECT_EQ(bytes.scale.shape(), per_channel ? Shape({layer.channels()}) : Shape({}));
      EXPECT_LE(worst_error(layer, bytes), 0.5001);
    }
  }
}

TEST(ByteWeights, OfZerosAreZeros) {
  const ByteWeights bytes =
      quantize_weights(layer_of(Tensor::of<float>({2, 2}, {0, 0, 1, -1}), 0), {.per_channel = true});
  EXPECT_TRUE(identical(bytes.values, Tensor::of<int8_t>({2, 2}, {0, 0, 127, -127})));
  EXPECT_EQ(bytes.scale.data<float>()[0], 1);
}

TEST(ByteWeights, OfReducedRangeHaveSevenBits) {
  const Layer layer = layer_of(random_tensor({7, 5, 3, 3}), 0);
  const ByteWeights bytes = quantize_weights(layer, {.per_channel = true, .reduce_range = true});
  const auto* values = bytes.values.data<int8_t>();
  const auto [least, most] = std::minmax_element(values, values + bytes.values.size());
  EXPECT_EQ(std::max(-*least, int{*most}), 64);
  EXPECT_LE(worst_error(layer, bytes), 0.5001);
}

TEST(ByteWeights, BiasIsInUnitsOfTheSums) {
  const Layer layer = layer_of(Tensor::of<float>({2, 1}, {1, 2}), 0, Tensor::of<float>({0.5f, -1}));
  const ByteWeights weights = quantize_weights(layer, {.per_channel = true}, 0.25f),
                    bias = quantize_bias(layer, weights, 0.25f);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(bias.scale.data<float>()[i], weights.scale.data<float>()[i] * 0.25f);
    EXPECT_NEAR(double(bias.values.data<int32_t>()[i]) * bias.scale.data<float>()[i], layer.bias.data<float>()[i],
                bias.scale.data<float>()[i]);
  }
}

TEST(ByteWeights, MakeRoomForALargeBias) {
  const Layer layer = layer_of(Tensor::of<float>({2, 1}, {1e-9f, 1}), 0, Tensor::of<float>({100, 1}));
  const ByteWeights weights = quantize_weights(layer, {.per_channel = true}, 0.01f),
                    bias = quantize_bias(layer, weights, 0.01f);
  EXPECT_NEAR(double(bias.values.data<int32_t>()[0]) * bias.scale.data<float>()[0], 100, 1e-4);
}

TEST(ByteWeights, OfABiasOfZeroAreZerosWhereTheScaleVanishes) {
  const Layer layer = layer_of(Tensor::of<float>({1, 1}, {1e-35f}), 0, Tensor::of<float>({0}));
  const ByteWeights weights = quantize_weights(layer, {.per_channel = true}, 1e-10f),
                    bias = quantize_bias(layer, weights, 1e-10f);
  EXPECT_EQ(bias.scale.data<float>()[0], 0);
  EXPECT_EQ(bias.values.data<int32_t>()[0], 0);
}

/// Returns the weight that a code of MatMulNBits represents.
double decoded(const ByteWeights& blocks, int64_t n, int64_t k, int64_t block_size) {
  const int64_t count = blocks.values.dim(1), block = n * count + k / block_size, i = k % block_size;
  const int byte = blocks.values.data<uint8_t>()[block * block_size / 2 + i / 2];
  return (((byte >> (i % 2 * 4)) & 15) - 8) * double(blocks.scale.data<float>()[block]);
}

TEST(BlockWeights, AreWithinTheScaleAndPaddedWithZeros) {
  constexpr int64_t kBlock = 16, kDepth = 37, kColumns = 3;
  for (const int axis : {0, 1}) {
    const Tensor w = random_tensor(axis == 0 ? Shape{kColumns, kDepth} : Shape{kDepth, kColumns});
    const ByteWeights blocks = quantize_blocks(layer_of(w, axis), kBlock);
    ASSERT_EQ(blocks.values.shape(), Shape({kColumns, 3, kBlock / 2}));
    for (int64_t n = 0; n < kColumns; ++n) {
      for (int64_t k = 0; k < kDepth; ++k) {
        const double want = double(w.data<float>()[axis == 0 ? n * kDepth + k : k * kColumns + n]);
        const double scale = std::abs(double(blocks.scale.data<float>()[n * 3 + k / kBlock]));
        EXPECT_NEAR(decoded(blocks, n, k, kBlock), want, scale * 1.0001);
      }
      for (int64_t k = kDepth; k < 3 * kBlock; ++k) EXPECT_EQ(decoded(blocks, n, k, kBlock), 0);
    }
  }
}

TEST(BlockWeights, HoldTheLargestOfABlockExactly) {
  Tensor w(DType::kFloat32, {1, 16});
  std::fill_n(w.data<float>(), 16, 0.25f);
  for (const float largest : {2.0f, -2.0f}) {
    w.data<float>()[3] = largest;
    EXPECT_EQ(decoded(quantize_blocks(layer_of(w, 0), 16), 0, 3, 16), double(largest));
  }
}

}  // namespace
}  // namespace linnet::testing
