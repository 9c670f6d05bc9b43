#include <gtest/gtest.h>

#include "compile/compile_input.h"
#include "conv/conv_algorithm.h"
#include "kernels/isa.h"
#include "support/conv_reference.h"
#include "support/expect_unchanged.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct Sizes {
  Shape x, w;
  ConvSettings settings{};
};

OpCase plane_conv(const ConvSettings& s) {
  return {"PlaneConv",
          1,
          {{"strides", s.strides}, {"pads", s.pads}, {"dilations", s.dilations}, {"group", s.group}},
          "linnet"};
}

ConvSettings settings(int64_t group, std::vector<int64_t> strides = {1, 1}, std::vector<int64_t> pads = {1, 1, 1, 1},
                      std::vector<int64_t> dilations = {1, 1}) {
  return {std::move(strides), std::move(pads), std::move(dilations), group};
}

const std::vector<Sizes> kSizes{
    {{1, 5, 30, 24}, {5, 1, 3, 3}, settings(5)},
    {{2, 3, 5, 25}, {3, 1, 3, 3}, settings(3)},                                 // 25 columns of 5 rows
    {{1, 4, 3, 71}, {4, 1, 3, 3}, settings(4)},                                 // fewer rows than a tile has
    {{1, 19, 9, 56}, {19, 1, 5, 5}, settings(19, {1, 1}, {2, 2, 2, 2})},        // vectors that overlap
    {{1, 2, 40, 113}, {2, 1, 7, 7}, settings(2, {1, 1}, {3, 3, 3, 3})},         // several strips
    {{2, 3, 21, 56}, {3, 1, 3, 3}, settings(3, {2, 2})},                        // even width and stride 2
    {{1, 3, 22, 57}, {3, 1, 3, 3}, settings(3, {2, 2}, {0, 2, 1, 1})},          // odd width, even padding
    {{1, 3, 30, 63}, {3, 1, 5, 5}, settings(3, {2, 2}, {2, 1, 1, 2})},          // even and odd padding
    {{1, 2, 20, 90}, {2, 1, 3, 3}, settings(2, {3, 3})},                        // other strides
    {{1, 2, 20, 90}, {2, 1, 3, 5}, settings(2, {1, 2}, {3, 0, 2, 4}, {3, 2})},  // dilated, other sides
    {{1, 2, 20, 90}, {2, 1, 4, 2}, settings(2, {2, 3}, {0, 1, 3, 0}, {1, 4})},  // dilation beyond the stride
    {{1, 2, 4, 30}, {2, 1, 3, 3}, settings(2, {1, 1}, {5, 6, 6, 4})},           // padding beyond windows
    {{1, 1, 28, 28}, {32, 1, 3, 3}, settings(1)},                               // many filters of one plane
    {{2, 3, 11, 40}, {6, 1, 3, 3}, settings(3)},                                // two filters of each plane
    {{1, 2, 1, 500}, {2, 1, 1, 31}, settings(2, {1, 1}, {0, 15, 0, 15})},       // long windows of sound
    {{1, 2, 1, 900}, {4, 1, 1, 10}, settings(2, {1, 5}, {0, 0, 0, 0})},
    {{1, 70, 26, 26}, {70, 1, 3, 3}, settings(70)},  // several chunks
};

bool suits(const Sizes& sizes, Isa isa) {
  const auto resources = std::make_shared<ModelResources>();
  resources->options.isa = isa;
  Fact w(DType::kFloat32, sizes.w);
  w.constant = random_tensor(w.shape());
  const Fact facts[] = {Fact(DType::kFloat32, sizes.x), w};
  NodeSpec spec;
  spec.attributes = plane_conv(sizes.settings).attributes;
  const ConvGeometry geometry = conv_geometry(ConvAttributes(spec), {}, sizes.x, sizes.w);
  return suits_plane_depthwise(geometry, ModelCompileInput(facts, {}, *resources));
}

class PlaneDepthwise : public ::testing::TestWithParam<Isa> {};

TEST_P(PlaneDepthwise, EqualsTheDefinition) {
  unsigned seed = 1;
  for (const Sizes& sizes : kSizes) {
    SCOPED_TRACE(str("x ", sizes.x, " w ", sizes.w));
    ASSERT_TRUE(suits(sizes, GetParam()));
    const Tensor x = random_tensor(sizes.x, ++seed), w = random_tensor(sizes.w, ++seed);
    const Tensor bias = random_tensor({sizes.w[0]}, ++seed), none = random_uniform({sizes.w[0]}, 0, 0);
    const Tensor biased = conv_reference(x, w, bias, sizes.settings);
    expect_close(run_op(plane_conv(sizes.settings), {x, w, bias}, 1, {1, 2}, GetParam())[0], biased, 1e-4, 1e-5);
    const Tensor plain = conv_reference(x, w, none, sizes.settings);
    expect_close(run_op(plane_conv(sizes.settings), {x, w}, 1, {}, GetParam())[0], plain, 1e-4, 1e-5);
  }
}

TEST_P(PlaneDepthwise, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const Sizes& sizes : kSizes) {
    const Tensor x = random_tensor(sizes.x, 1), w = random_tensor(sizes.w, 2);
    const Tensor one = run_op(plane_conv(sizes.settings), {x, w}, 1, {1}, GetParam(), 1)[0];
    EXPECT_TRUE(identical(run_op(plane_conv(sizes.settings), {x, w}, 1, {1}, GetParam(), 3)[0], one)) << sizes.x;
  }
}

TEST(PlaneConv, IsADepthwiseConvolutionOfWidePlanesBetweenChannelsFirstValues) {
  const auto graph = [](const Shape& x, const std::string& activation) {
    GraphBuilder b;
    const Shape w{x[1], 1, 3, 3};
    const Attributes attributes{{"group", x[1]}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}};
    const ValueId y =
        b.op("Conv", {b.input("x", x), b.constant(random_tensor(w)), b.constant(random_tensor({w[0]}))}, attributes);
    b.output(activation.empty() ? y : b.op(activation, {y}));
    return b;
  };
  for (const std::string activation : {"", "Relu", "Sigmoid"}) {
    const GraphBuilder b = graph({2, 4, 30, 30}, activation);
    EXPECT_EQ(optimized_ops(b), "+PlaneConv");
    expect_unchanged(b, {random_tensor({2, 4, 30, 30})});
    EXPECT_EQ(optimized_ops(graph({1, 32, 14, 14}, activation)), "Transpose +Conv Transpose");  // narrow
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, PlaneDepthwise, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

}  // namespace
}  // namespace linnet::testing
