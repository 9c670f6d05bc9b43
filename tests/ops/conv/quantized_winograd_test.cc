#include <gtest/gtest.h>

#include <algorithm>

#include "compile/compile_input.h"
#include "conv/quantized_conv.h"
#include "gemm/quantized_gemm.h"
#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

const Attributes kAttributes{{"pads", std::vector<int64_t>{1, 1, 1, 1}}};

/// A convolution of 3x3 windows of one value with filters of another, padded by one.
struct ConstantConv {
  int64_t size, channels;
  uint8_t x, zero;
  int8_t w;

  /// Returns the sum of an output. It has as many terms as its window has pixels in the image.
  double sum(int64_t row, int64_t column) const {
    const auto taps = [&](int64_t at) { return 3 - (at == 0) - (at == size - 1); };
    return double(taps(row) * taps(column) * channels) * (int(x) - int(zero)) * int(w);
  }
  std::vector<Tensor> inputs(int64_t out_channels) const {
    Tensor image(DType::kUint8, {1, size, size, channels}), filters(DType::kInt8, {out_channels, channels, 3, 3});
    std::fill_n(image.data<uint8_t>(), image.size(), x);
    std::fill_n(filters.data<int8_t>(), filters.size(), w);
    return {image, Tensor::scalar(1.0f), Tensor::scalar(zero), filters, Tensor::scalar(1.0f)};
  }
};

class QuantizedWinograd : public ::testing::TestWithParam<Isa> {};

TEST_P(QuantizedWinograd, IsExactForTheGreatestSumsOfItsTilesAndBeyond) {
  // 4x4 tiles hold sums below 2^25, 114 channels of the greatest products, 2x2 ones below 2^29.
  for (const int64_t channels : {113, 114, 115, 200, 1827, 1828}) {
    for (const auto& [x, zero] : {std::pair<uint8_t, uint8_t>{255, 0}, {0, 255}}) {
      const ConstantConv conv{channels > 1000 ? 6 : 13, channels, x, zero, -128};
      const Tensor y = run_op({"QLinearConv", 1, kAttributes, "linnet"}, conv.inputs(16), 1, {3}, GetParam())[0];
      for (int64_t i = 0; i < y.size(); ++i) {
        const int64_t pixel = i / 16;
        ASSERT_EQ(y.data<float>()[i], float(conv.sum(pixel / conv.size, pixel % conv.size))) << channels << " " << i;
      }
    }
  }
}

/// Returns the tile that is chosen for filters of one value.
int tile_of(Isa isa, int64_t channels, int64_t pixels, int8_t value, int most = 4) {
  const auto resources = std::make_shared<ModelResources>();
  resources->options.winograd_tile = most;
  resources->options.isa = isa;
  const std::vector<Tensor> inputs = ConstantConv{pixels, channels, 0, 0, value}.inputs(channels);
  std::vector<Fact> facts;
  for (const Tensor& input : inputs) facts.emplace_back(input.dtype(), input.shape());
  facts[QuantizedInputs::kW].constant = inputs[QuantizedInputs::kW];
  NodeSpec spec;
  spec.attributes = kAttributes;
  const ConvGeometry geometry = conv_geometry(ConvAttributes(spec), {true, true}, facts[0].shape(), inputs[3].shape());
  return quantized_winograd_tile(geometry, ModelCompileInput(facts, {}, *resources));
}

TEST_P(QuantizedWinograd, TakesTheTilesWhoseSumsFit) {
  if (multiplies_bytes(resolve_isa(GetParam()))) {
    EXPECT_EQ(tile_of(GetParam(), 64, 56, 1), 0);
    return;
  }
  EXPECT_EQ(tile_of(GetParam(), 114, 28, -128), 4);
  EXPECT_EQ(tile_of(GetParam(), 115, 28, -128), 2);
  EXPECT_EQ(tile_of(GetParam(), 1827, 28, -128), 2);
  EXPECT_EQ(tile_of(GetParam(), 1828, 28, -128), 0);
  EXPECT_EQ(tile_of(GetParam(), 512, 28, 28), 4);
  EXPECT_EQ(tile_of(GetParam(), 512, 28, 29), 2);
  EXPECT_EQ(tile_of(GetParam(), 64, 56, 1, 3), 2);
  EXPECT_EQ(tile_of(GetParam(), 64, 56, 1, 0), 0);
}

INSTANTIATE_TEST_SUITE_P(Isas, QuantizedWinograd, ::testing::ValuesIn(supported_byte_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

}  // namespace
}  // namespace linnet::testing
