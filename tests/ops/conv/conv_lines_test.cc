#include <gtest/gtest.h>

#include <algorithm>

#include "compile/compile_input.h"
#include "conv/conv_algorithm.h"
#include "kernels/isa.h"
#include "ops/conv/conv_sizes.h"
#include "support/conv_reference.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

OpCase line_conv(const ConvSizes& sizes, bool x_channels_first) {
  const ConvSettings& s = sizes.settings;
  return {"Conv",
          1,
          {{"strides", s.strides},
           {"pads", s.pads},
           {"dilations", s.dilations},
           {"activation", std::string("LeakyRelu")},
           {"activation_alpha", 0.125f},
           {"x_channels_first", int64_t{x_channels_first}}},
          "linnet"};
}

bool suits_lines(const ConvSizes& sizes, Isa isa) {
  const auto resources = std::make_shared<ModelResources>();
  resources->options.isa = isa;
  Fact w(DType::kFloat32, sizes.w());
  w.constant = random_tensor(w.shape());
  const Fact facts[] = {Fact(DType::kFloat32, sizes.x), w};
  NodeSpec spec;
  spec.attributes = line_conv(sizes, true).attributes;
  const ConvGeometry geometry = conv_geometry(ConvAttributes(spec), {}, sizes.x, w.shape());
  return suits_line_conv(geometry, ModelCompileInput(facts, {}, *resources));
}

/// Computes channels-first and channels-last with the chosen algorithm, and compares the results with the definition.
void expect_definition(const ConvSizes& sizes, unsigned seed, Isa isa) {
  const Tensor x = random_tensor(sizes.x, seed), w = random_tensor(sizes.w(), seed + 1);
  const Tensor bias = random_tensor({sizes.out_channels}, seed + 2);
  Tensor want = conv_reference(x, w, bias, sizes.settings);
  for (int64_t i = 0; i < want.size(); ++i) {
    float& value = want.data<float>()[i];
    value = value > 0 ? value : value * 0.125f;
  }
  const Tensor first = run_op(line_conv(sizes, true), {x, w, bias}, 1, {1, 2}, isa)[0];
  expect_close(to_channels_first(first), want, 1e-4, 1e-5);
  const Tensor last = run_op(line_conv(sizes, false), {to_channels_last(x), w, bias}, 1, {1, 2}, isa, 3)[0];
  expect_close(to_channels_first(last), want, 1e-4, 1e-5);
}

class LineConvolution : public ::testing::TestWithParam<Isa> {};

TEST_P(LineConvolution, EqualsTheDefinitionInBothLayouts) {
  unsigned seed = 1;
  for (const ConvSizes& sizes : std::vector<ConvSizes>{
           {{1, 3, 17, 31}, 32, {3, 3}, {{2, 2}, {1, 1, 1, 1}}},
           {{2, 1, 10, 14}, 8, {5, 5}, {{1, 1}, {2, 2, 2, 2}}},           // one tile, half a vector
           {{1, 4, 40, 33}, 24, {7, 7}, {{2, 2}, {3, 3, 3, 3}}},          // one and a half
           {{2, 2, 13, 45}, 70, {1, 5}, {{1, 2}, {0, 4, 0, 1}}},          // no kernel rows, uneven padding
           {{1, 8, 30, 16}, 17, {4, 2}, {{3, 1}, {5, 0, 2, 0}, {2, 1}}},  // dilated rows, more padding than windows
           {{1, 5, 9, 29}, 1, {3, 6}, {{1, 2}, {1, 9, 1, 9}}},
       }) {
    SCOPED_TRACE(str("x ", sizes.x, " to ", sizes.out_channels, " channels"));
    ASSERT_TRUE(suits_lines(sizes, GetParam()));
    expect_definition(sizes, seed += 3, GetParam());
  }
}

TEST_P(LineConvolution, SizesBesideThoseItIsForEqualTheDefinitionToo) {
  unsigned seed = 100;
  for (const ConvSizes& sizes : std::vector<ConvSizes>{
           {{1, 9, 20, 20}, 4},                                          // more channels
           {{1, 3, 20, 20}, 4, {1, 1}},                                  // no windows
           {{1, 3, 20, 20}, 4, {3, 3}, {{1, 3}}},                        // steps as wide as windows
           {{1, 3, 20, 20}, 4, {3, 3}, {{1, 1}, {0, 0, 0, 0}, {1, 2}}},  // dilated along the line
           {{1, 3, 200, 20}, 4, {3, 3}, {{1, 1}, {0, 0, 0, 0}, {40, 1}}},
           {{1, 3, 20, 5}, 4},  // short lines
           {{1, 3, 7, 20}, 4},  // few lines
       }) {
    SCOPED_TRACE(str("x ", sizes.x, " to ", sizes.out_channels, " channels"));
    expect_definition(sizes, seed += 3, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, LineConvolution, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

}  // namespace
}  // namespace linnet::testing
