#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compile/compile_input.h"
#include "conv/conv_algorithm.h"
#include "gemm/fused_activation.h"
#include "graph/graph.h"
#include "kernels/isa.h"
#include "run/model_graph.h"
#include "support/conv_reference.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class AlgorithmKernel final : public Kernel {
 public:
  explicit AlgorithmKernel(ConvF32Ptr algorithm) : algorithm_(std::move(algorithm)) {}
  void run(KernelContext& context) const override {
    const auto data = [&](int i) { return context.input(i) ? context.input(i).data<float>() : nullptr; };
    const ConvOperands<float> operands{
        .x = data(0), .w = data(1), .bias = data(2), .residual = data(3), .y = context.output(0).data<float>()};
    algorithm_->run(operands, context);
  }
  size_t scratch_bytes() const override { return algorithm_->scratch_bytes(); }

 private:
  ConvF32Ptr algorithm_;
};

/// A channels-last convolution (x, w, bias, residual) by Winograd's algorithm, regardless of its cost. Tiles have
/// `tile` outputs along each axis along which windows have several taps.
class WinogradOp final : public Op {
 public:
  explicit WinogradOp(const NodeSpec& node) : attributes_(node), tile_(node.attr_or("tile", int64_t{4})) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override {
    return {Fact(DType::kFloat32, conv_output_dims(attributes_, {true, true}, in[0], in[1]))};
  }
  KernelPtr compile(const CompileInput& in) const override {
    const ConvGeometry geometry = conv_geometry(attributes_, {true, true}, in.shape(0), in.shape(1));
    EXPECT_EQ(winograd_obstacle(geometry, in), "");
    const Epilogue epilogue = make_epilogue({unary_function("LeakyRelu"), 0.125f}, in.isa());
    const auto outputs = [&](int axis) { return geometry.axes[size_t(axis)].kernel > 1 ? int(tile_) : 1; };
    return std::make_unique<AlgorithmKernel>(make_winograd_conv(geometry, epilogue, {outputs(1), outputs(2)}, in));
  }

 private:
  ConvAttributes attributes_;
  int64_t tile_;
};

struct WinogradSizes {
  Shape x;
  int64_t out_channels;
  std::vector<int64_t> pads{1, 1, 1, 1}, dilations{1, 1}, kernel{3, 3}, strides{1, 1};
  int64_t group = 1;
};

Tensor run_winograd(const WinogradSizes& sizes, int64_t tile, const std::vector<Tensor>& inputs, Isa isa,
                    int threads = 2) {
  Registry registry = standard_registry();
  registry.add<WinogradOp>("WinogradConv", {.since = 1, .domain = "test"});
  Graph graph(std::make_shared<Registry>(registry));
  const auto add_input = [&](const std::string& name, const Tensor& value) {
    return graph.add_input(name, Fact(DType::kFloat32, value.shape()));
  };
  NodeSpec spec{.op_type = "WinogradConv", .domain = "test", .name = "node", .opset = 1};
  spec.attributes = {{"pads", sizes.pads},
                     {"dilations", sizes.dilations},
                     {"strides", sizes.strides},
                     {"group", sizes.group},
                     {"tile", tile}};
  const ValueId x = add_input("x", inputs[0]), w = graph.add_constant("w", inputs[1]);
  const ValueId bias = graph.add_constant("bias", inputs[2]), residual = add_input("residual", inputs[3]);
  graph.add_output("y", graph.node(graph.add_node(spec, {x, w, bias, residual}, {"y"})).outputs[0]);
  ModelOptions options;
  options.isa = isa;
  Context context(make_model(std::move(graph), options),
                  {.executor = make_openmp_executor(threads), .observer = nullptr, .limits = {}});
  return context.run(std::vector{inputs[0], inputs[3]})[0].clone();
}

double rms(const Tensor& tensor) {
  const auto* x = tensor.data<float>();
  return std::sqrt(std::inner_product(x, x + tensor.size(), x, 0.0) / double(tensor.size()));
}

/// An example of typical values: x as after a ReLU, w as at the beginning of training. The output is the leaky ReLU of
/// sums plus residual.
struct Example {
  std::vector<Tensor> inputs;
  Tensor want;

  Example(const WinogradSizes& sizes, unsigned seed) {
    const int64_t depth = sizes.x[1] / sizes.group;
    Shape filters{sizes.out_channels, depth};
    for (const int64_t k : sizes.kernel) filters.push_back(k);
    Tensor x = random_tensor(sizes.x, seed), w = random_tensor(filters, seed + 1);
    for (int64_t i = 0; i < x.size(); ++i) x.data<float>()[i] = std::max(0.f, x.data<float>()[i]);
    for (int64_t i = 0; i < w.size(); ++i)
      w.data<float>()[i] *= std::sqrt(2.f * float(sizes.out_channels) / float(w.size()));
    const Tensor bias = random_tensor({sizes.out_channels}, seed + 2);
    want = conv_reference(x, w, bias, {sizes.strides, sizes.pads, sizes.dilations, sizes.group});
    const Tensor residual = random_tensor(want.shape(), seed + 3);
    for (int64_t i = 0; i < want.size(); ++i) {
      const float sum = want.data<float>()[i] + residual.data<float>()[i];
      want.data<float>()[i] = sum > 0 ? sum : sum * 0.125f;
    }
    inputs = {to_channels_last(x), w, bias, to_channels_last(residual)};
  }
};

class WinogradConv : public ::testing::TestWithParam<Isa> {};

TEST_P(WinogradConv, StaysWithinTwentyMillionthsOfTheOutputsMagnitude) {
  unsigned seed = 1;
  for (const WinogradSizes& sizes : std::vector<WinogradSizes>{
           {{1, 16, 8, 8}, 32},
           {{2, 33, 13, 11}, 35},             // edge tiles, channels that do not fill vectors
           {{1, 5, 3, 17}, 7, {2, 0, 1, 3}},  // fewer channels than a vector has lanes
           {{1, 8, 1, 2}, 40, {1, 1, 1, 1}},  // an image smaller than a tile
           {{1, 20, 4, 4}, 20, {0, 0, 0, 0}},
           {{1, 24, 15, 14}, 16, {2, 2, 2, 2}, {2, 2}},  // dilated
           {{2, 12, 9, 20}, 19, {5, 2, 3, 4}, {5, 3}},
           {{1, 512, 14, 14}, 64},  // a long sum
           {{1, 600, 6, 6}, 8},     // a sum in two blocks
           {{1, 64, 30, 30}, 200},  // several blocks of channels
           {{1, 410, 48, 48}, 4},   // blocks of channels that share the inputs of several blocks of tiles
           {{1, 17, 60, 60}, 36},   // only blocks of tiles
           {{2, 20, 1, 50}, 24, {0, 1, 0, 1}, {1, 1}, {1, 3}},  // along rows
           {{1, 30, 7, 9}, 17, {0, 0, 0, 2}, {1, 1}, {1, 4}},
           {{1, 33, 1, 40}, 20, {0, 30, 0, 30}, {1, 5}, {1, 11}},
           {{2, 9, 23, 6}, 24, {3, 0, 3, 0}, {2, 1}, {7, 1}},    // along columns
           {{1, 12, 11, 10}, 40, {2, 2, 2, 2}, {1, 1}, {5, 5}},  // windows in parts
           {{1, 21, 20, 19}, 8, {3, 6, 3, 6}, {1, 2}, {7, 8}},
           {{1, 16, 21, 30}, 24, {1, 1, 1, 1}, {1, 1}, {3, 3}, {2, 2}},  // strided
           {{1, 10, 33, 18}, 16, {2, 3, 2, 4}, {1, 1}, {5, 7}, {2, 3}},
           {{2, 8, 1, 41}, 9, {0, 1, 0, 0}, {1, 1}, {1, 2}, {1, 4}},  // inputs between taps that are not read
           {{1, 24, 5, 9, 8}, 20, {1, 1, 1, 1, 1, 1}, {1, 1, 1}, {3, 3, 3}, {1, 1, 1}},  // volumes
           {{2, 7, 6, 8, 7}, 12, {2, 0, 1, 1, 2, 3}, {2, 1, 2}, {2, 5, 3}, {2, 1, 1}},
           {{2, 66, 13, 11}, 105, {1, 1, 1, 1}, {1, 1}, {3, 3}, {1, 1}, 3},  // groups
           {{1, 340, 9, 8}, 360, {1, 0, 1, 2}, {1, 1}, {3, 3}, {1, 1}, 2},   // groups that share their inputs
           {{1, 48, 20, 19}, 32, {3, 6, 3, 6}, {1, 2}, {7, 8}, {1, 1}, 4},
       }) {
    const Example example(sizes, seed += 4);
    for (const int64_t tile : {2, 3, 4, 5}) {
      SCOPED_TRACE(str("x ", sizes.x, " to ", sizes.out_channels, " channels, tile ", tile));
      const Tensor y = to_channels_first(run_winograd(sizes, tile, example.inputs, GetParam()));
      expect_close(y, example.want, 2e-5 * rms(example.want));
    }
  }
}

TEST_P(WinogradConv, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const WinogradSizes& sizes :
       std::vector<WinogradSizes>{{{1, 40, 30, 31}, 70},
                                  {{1, 9, 60, 60}, 24},
                                  {{1, 64, 1, 400}, 64, {0, 2, 0, 2}, {1, 1}, {1, 5}},
                                  {{1, 80, 30, 31}, 70, {1, 1, 1, 1}, {1, 1}, {3, 3}, {1, 1}, 2}}) {
    const Example example(sizes, 1);
    const Tensor one = run_winograd(sizes, 4, example.inputs, GetParam(), 1);
    for (const int threads : {2, 3, 8}) {
      EXPECT_TRUE(identical(run_winograd(sizes, 4, example.inputs, GetParam(), threads), one)) << threads;
    }
  }
}

class ConvChoices : public ::testing::TestWithParam<Isa> {};

/// Returns the algorithm that is chosen, and the reason.
std::string chosen(Isa isa, const WinogradSizes& sizes, int winograd_tile) {
  const auto resources = std::make_shared<ModelResources>();
  resources->options.winograd_tile = winograd_tile;
  resources->options.isa = isa;
  Shape filters{sizes.out_channels, sizes.x[sizes.x.rank() - 1] / sizes.group};
  for (const int64_t k : sizes.kernel) filters.push_back(k);
  Fact w(DType::kFloat32, filters);
  w.constant = random_tensor(w.shape(), 1);
  const Fact facts[] = {Fact(DType::kFloat32, sizes.x), w};
  NodeSpec spec;
  spec.attributes = {
      {"pads", sizes.pads}, {"dilations", sizes.dilations}, {"strides", sizes.strides}, {"group", sizes.group}};
  const ConvGeometry geometry = conv_geometry(ConvAttributes(spec), {true, true}, facts[0].shape(), w.shape());
  const ConvChoice choice = choose_conv(geometry, {.x_channels_last = true, .y_channels_last = true}, {},
                                        ModelCompileInput(facts, {}, *resources));
  return choice.algorithm->describe() + "; " + choice.reason;
}

/// The number of multiplications of inputs by each output channel: by the definition, and by Winograd's tiles of m x m
/// outputs, which are cut from the pixels of each phase of a dilation.
double by_definition(const WinogradSizes& s) { return 9.0 * double(s.x[1] * s.x[2]); }
double by_tiles(const WinogradSizes& s, int64_t m) {
  const auto tiles = [&](int64_t length, int64_t dilation) {
    int64_t count = 0;
    for (int64_t phase = 0; phase < dilation; ++phase) {
      count += ((length - phase + dilation - 1) / dilation + m - 1) / m;
    }
    return double(count);
  };
  return tiles(s.x[1], s.dilations[0]) * tiles(s.x[2], s.dilations[1]) * double((m + 2) * (m + 2));
}

/// Returns the side of the tiles in a choice; 0 if it is not Winograd's algorithm.
int64_t tile_named_by(const std::string& choice) {
  const size_t at = choice.find("Winograd F(");
  return at == 0 ? choice[at + 11] - '0' : 0;
}

TEST_P(ConvChoices, WinogradNeverMultipliesMoreThanTheDefinitionNorByLargerTilesThanAllowed) {
  bool taken = false;
  for (const int64_t length : {5, 28, 33, 56}) {
    for (const int64_t dilation : {1, 2, 12, 20}) {
      for (const int64_t channels : {3, 16, 128}) {
        const WinogradSizes sizes{
            {1, length, length, channels}, channels, std::vector<int64_t>(4, dilation), {dilation, dilation}};
        for (const int largest : {0, 2, 3, 4}) {
          const std::string text = chosen(GetParam(), sizes, largest);
          const int64_t tile = tile_named_by(text);
          EXPECT_LE(tile, largest) << text;
          if (tile == 0) continue;
          taken = true;
          EXPECT_LT(by_tiles(sizes, tile), by_definition(sizes)) << text;
        }
      }
    }
  }
  EXPECT_TRUE(taken);
}

/// Only the middle column of each window is in the image. That is three multiplications for an output, while a tile of
/// m x 1 outputs takes at least eight.
TEST_P(ConvChoices, ImagesOfOneColumnAreConvolvedDirectly) {
  for (const Shape& x : {Shape{1, 56, 1, 128}, Shape{1, 12, 1, 256}}) {
    EXPECT_EQ(tile_named_by(chosen(GetParam(), {x, x[3]}, 4)), 0);
  }
}

TEST_P(ConvChoices, LinesVolumesAndLargeWindowsAreFilteredInParts) {
  for (const auto& [sizes, want] : std::vector<std::pair<WinogradSizes, std::string>>{
           {{{1, 1, 4000, 64}, 64, {0, 1, 0, 1}, {1, 1}, {1, 3}}, "Winograd F(1x4, 1x3) "},
           {{{1, 4000, 1, 64}, 64, {1, 0, 1, 0}, {1, 1}, {3, 1}}, "Winograd F(4x1, 3x1) "},
           {{{1, 1, 4000, 64}, 64, {0, 25, 0, 25}, {1, 5}, {1, 11}}, "Winograd F(1x4, 1x3) in 4 parts"},
           {{{1, 1, 4000, 512}, 512, {0, 0, 0, 0}, {1, 1}, {1, 3}, {1, 2}}, "Winograd F(1x5, 1x2) in 2 parts"},
           {{{1, 56, 56, 64}, 64, {2, 2, 2, 2}, {1, 1}, {5, 5}}, "Winograd F(4x4, 3x3) in 4 parts"},
           {{{1, 24, 24, 24, 64}, 64, {1, 1, 1, 1, 1, 1}, {1, 1, 1}, {3, 3, 3}, {1, 1, 1}},
            "Winograd F(4x4, 3x3) in 3 parts"},
       }) {
    const std::string text = chosen(GetParam(), sizes, 4);
    EXPECT_EQ(text.substr(0, want.size()), want) << text;
  }
}

TEST_P(ConvChoices, GroupsThatFillVectorsAreFiltered) {
  const auto tile_of_groups = [&](int64_t channels, int64_t group) {
    return tile_named_by(
        chosen(GetParam(), {{1, 28, 28, channels}, channels, {1, 1, 1, 1}, {1, 1}, {3, 3}, {1, 1}, group}, 4));
  };
  EXPECT_EQ(tile_of_groups(256, 4), 4);
  EXPECT_EQ(tile_of_groups(256, 64), 0);
  EXPECT_EQ(tile_of_groups(256, 256), 0);
}

/// In larger batches, larger tiles save less than half of the time, and another layout of the weights would cost
/// memory.
TEST_P(ConvChoices, TilesAreThoseOfOneSample) {
  for (const int64_t length : {7, 14, 28, 56}) {
    for (const int64_t channels : {64, 256, 512}) {
      WinogradSizes sizes{{1, length, length, channels}, channels, {1, 1, 1, 1}, {1, 1}};
      const int64_t alone = tile_named_by(chosen(GetParam(), sizes, 4));
      sizes.x[0] = 8;
      EXPECT_EQ(tile_named_by(chosen(GetParam(), sizes, 4)), alone) << length << " " << channels;
    }
  }
}

/// A 3x3 window with stride 2 has 9 weights; its four parts would have 4 * 36 filtered values, 16 times as many, so
/// Winograd is not chosen.
TEST_P(ConvChoices, FilteringNeverTakesMoreThanEightTimesTheWeights) {
  const std::string text = chosen(GetParam(), {{1, 56, 56, 256}, 256, {1, 1, 1, 1}, {1, 1}, {3, 3}, {2, 2}}, 4);
  EXPECT_EQ(tile_named_by(text), 0) << text;
}

INSTANTIATE_TEST_SUITE_P(Isas, ConvChoices, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });
INSTANTIATE_TEST_SUITE_P(Isas, WinogradConv, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

}  // namespace
}  // namespace linnet::testing
