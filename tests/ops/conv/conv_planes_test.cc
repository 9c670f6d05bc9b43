#include <gtest/gtest.h>

#include "compile/compile_input.h"
#include "conv/conv_algorithm.h"
#include "kernels/isa.h"
#include "ops/conv/conv_sizes.h"
#include "support/conv_reference.h"
#include "support/expect_unchanged.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

OpCase plane_conv(const ConvSizes& sizes) {
  const ConvSettings& s = sizes.settings;
  return {"Conv", 11, {{"strides", s.strides}, {"pads", s.pads}, {"dilations", s.dilations}}};
}

/// Returns the result of suits_plane_conv() or suits_plane_depthwise().
bool suits_planes(const ConvSizes& sizes, Isa isa, decltype(suits_plane_conv)& suits = suits_plane_conv) {
  const auto resources = std::make_shared<ModelResources>();
  resources->options.isa = isa;
  Fact w(DType::kFloat32, sizes.w());
  w.constant = random_tensor(w.shape());
  const Fact facts[] = {Fact(DType::kFloat32, sizes.x), w};
  NodeSpec spec;
  spec.attributes = plane_conv(sizes).attributes;
  const ConvGeometry geometry = conv_geometry(ConvAttributes(spec), {}, sizes.x, w.shape());
  return suits(geometry, ModelCompileInput(facts, {}, *resources));
}

class PlaneConvolution : public ::testing::TestWithParam<Isa> {};

TEST_P(PlaneConvolution, EqualsTheDefinition) {
  unsigned seed = 1;
  for (const ConvSizes& sizes : std::vector<ConvSizes>{
           {{1, 1, 1, 5003}, 70, {1, 10}, {{1, 5}}},                      // audio: long windows, large strides
           {{1, 1, 1, 20003}, 10, {1, 10}, {{1, 2}}},                     // the longest blocks for several threads
           {{2, 1, 1, 700}, 33, {1, 7}, {{1, 1}, {0, 3, 0, 3}, {1, 1}}},  // rows of more than a block
           {{2, 3, 37, 31}, 40, {3, 4}, {{2, 1}, {1, 2, 1, 0}}},          // blocks that end within rows
           {{1, 5, 40, 33}, 61, {2, 3}, {{1, 2}, {1, 4, 3, 5}, {3, 2}}},  // dilated, more padding than windows
           {{1, 16, 20, 20}, 17, {1, 1}},                                 // pixels
           {{1, 300, 13, 13}, 9, {1, 1}},                                 // many more values than outputs
           {{2, 70, 32, 32}, 25, {1, 1}},                                 // planes at multiples of 4 KiB
           {{1, 768, 1, 163}, 3, {1, 1}},                                 // the longest sums
           {{3, 3, 5, 200}, 1, {1, 1}},                                   // one output
           {{1, 40, 70, 71}, 130, {1, 1}},                                // several blocks and tiles
           {{2, 2, 7, 9, 11}, 54, {3, 3, 3}, {{1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1}}},
           {{1, 2, 9, 19, 8}, 16, {2, 1, 4}, {{2, 1, 1}, {0, 0, 2, 1, 2, 1}, {2, 1, 1}}},
       }) {
    SCOPED_TRACE(str("x ", sizes.x, " to ", sizes.out_channels, " channels"));
    ASSERT_TRUE(suits_planes(sizes, GetParam()));
    const Tensor x = random_tensor(sizes.x, ++seed), w = random_tensor(sizes.w(), ++seed);
    const Tensor bias = random_tensor({sizes.out_channels}, ++seed), none = random_uniform({sizes.out_channels}, 0, 0);
    const Tensor biased = conv_reference(x, w, bias, sizes.settings);
    expect_close(run_op(plane_conv(sizes), {x, w, bias}, 1, {1, 2}, GetParam())[0], biased, 1e-4, 1e-5);
    expect_close(run_op(plane_conv(sizes), {x, w, bias}, 1, {}, GetParam(), 3)[0], biased, 1e-4, 1e-5);
    const Tensor plain = conv_reference(x, w, none, sizes.settings);
    expect_close(run_op(plane_conv(sizes), {x, w}, 1, {1}, GetParam())[0], plain, 1e-4, 1e-5);
    expect_close(run_op(plane_conv(sizes), {x, w}, 1, {}, GetParam())[0], plain, 1e-4, 1e-5);
  }
}

TEST_P(PlaneConvolution, MultipliesManyFiltersOfOnePlaneUnlessItsRowsShareMore) {
  const auto by_rows = [](const ConvSizes& sizes) { return suits_planes(sizes, GetParam(), suits_plane_depthwise); };
  EXPECT_FALSE(by_rows({{1, 1, 1, 5003}, 64, {1, 10}, {{1, 5}}}));
  EXPECT_FALSE(by_rows({{1, 1, 40, 40}, 64, {4, 4}, {{2, 2}}}));
  EXPECT_TRUE(by_rows({{1, 1, 1, 5003}, 8, {1, 3}}));   // few filters
  EXPECT_TRUE(by_rows({{1, 1, 40, 40}, 64, {3, 3}}));   // rows share what is loaded
  EXPECT_TRUE(by_rows({{1, 1, 1, 200}, 64, {1, 10}}));  // few pixels
}

TEST_P(PlaneConvolution, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tensor x = random_tensor({2, 90, 61, 60}, 1), w = random_tensor({70, 90, 1, 1}, 2);
  const Tensor one = run_op({"PlaneConv", 1, {}, "linnet"}, {x, w}, 1, {1}, GetParam(), 1)[0];
  EXPECT_TRUE(identical(run_op({"PlaneConv", 1, {}, "linnet"}, {x, w}, 1, {1}, GetParam(), 3)[0], one));
}

TEST(PlaneConv, IsAConvolutionBetweenChannelsFirstValues) {
  const auto graph = [](const Shape& x, const Shape& w, bool relu) {
    GraphBuilder b;
    const ValueId y = b.op("Conv", {b.input("x", x), b.constant(random_tensor(w)), b.constant(random_tensor({w[0]}))});
    b.output(relu ? b.op("Relu", {y}) : y);
    return b;
  };
  for (const bool relu : {false, true}) {
    for (const Shape& x : {Shape{1, 1, 900}, Shape{2, 4, 900}}) {
      const GraphBuilder b = graph(x, {48, x[1], 7}, relu);
      EXPECT_EQ(optimized_ops(b), "+PlaneConv");
      expect_unchanged(b, {random_tensor(x)});
    }
    EXPECT_EQ(optimized_ops(graph({1, 3, 40, 40}, {32, 3, 3, 3}, relu)), "+PlaneConv");
    EXPECT_EQ(optimized_ops(graph({1, 4, 12, 12}, {48, 4, 3, 3}, relu)), "Transpose +Conv Transpose");  // small
    EXPECT_EQ(optimized_ops(graph({1, 8, 40, 40}, {80, 8, 3, 3}, relu)), "Transpose +Conv Transpose");  // deep
    EXPECT_EQ(optimized_ops(graph({1, 5, 40, 40}, {44, 5, 3, 3}, relu)), "Transpose +Conv Transpose");  // few outputs
    EXPECT_EQ(optimized_ops(graph({2, 100, 13, 13}, {20, 100, 1, 1}, relu)), "+PlaneConv");
    expect_unchanged(graph({2, 100, 13, 13}, {20, 100, 1, 1}, relu), {random_tensor({2, 100, 13, 13})});
    EXPECT_EQ(optimized_ops(graph({1, 100, 12, 12}, {20, 100, 1, 1}, relu)), "Transpose +Conv Transpose");  // small
    EXPECT_EQ(optimized_ops(graph({1, 800, 20, 20}, {20, 800, 1, 1}, relu)), "Transpose +Conv Transpose");  // deep
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, PlaneConvolution, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

}  // namespace
}  // namespace linnet::testing
