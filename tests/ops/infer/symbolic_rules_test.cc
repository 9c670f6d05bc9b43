#include <gtest/gtest.h>

#include "linnet/registry.h"
#include "support/symbolic_rule.h"
#include "tensor/dim_substitution.h"

// Compares the dims that shape rules infer for expressions with those for numbers.
namespace linnet::testing {
namespace {

const Dim N = symbol("N"), M = symbol("M"), S = symbol("S"), P = symbol("P"), T = symbol("T");

using Ints = std::vector<int64_t>;

void expect_rules_hold(const std::vector<SymbolicRule>& rules) {
  for (const SymbolicRule& rule : rules) expect_rule_holds(rule);
}

Fact bytes(const Dims& dims) { return Fact(DType::kUint8, dims); }
Fact ints(const Dims& dims) { return Fact(DType::kInt64, dims); }

TEST(SymbolicRules, Joining) {
  expect_rules_hold({
      {{"Concat", 13, {{"axis", int64_t{1}}}}, {floats({N, S, 4}), floats({N, P, 4}), floats({N, 3, 4})}},
      {{"Concat", 13, {{"axis", int64_t{-1}}}}, {floats({N, 2 * S})}},
      {{"Tile", 13}, {floats({N, S, 3}), elements({2, M, P})}},
      {{"Tile", 13}, {floats({4, S}), elements({M + 1, 1})}},
      {{"FeatureVectorizer", 1, {}, "ai.onnx.ml"}, {floats({N, S}), floats({N, 3, P})}},
      {{"FeatureVectorizer", 1, {{"inputdimensions", Ints{3, 5}}}, "ai.onnx.ml"}, {floats({N, S}), floats({N, P})}},
      {{"ArrayFeatureExtractor", 1, {}, "ai.onnx.ml"}, {floats({N, S}), ints({P, 2})}},
      {{"StringNormalizer", 10}, {Fact(DType::kString, Dims{S})}},
      {{"GatherBlockQuantized", 1, {}, "com.microsoft"}, {bytes({N, S}), ints({P, T}), floats({N, 1})}},
  });
}

TEST(SymbolicRules, Broadcasting) {
  expect_rules_hold({
      {{"Add", 14}, {floats({N, 1, S}), floats({1, M, S})}},
      {{"Add", 14}, {floats({N, S}), floats({M + 2, 3})}, 1, false},
      {{"Add", 14}, {floats({N, S}), floats({M, 1})}},
      {{"Add", 14}, {floats({N + 2}), floats({M})}},
      {{"Where", 16}, {Fact(DType::kBool, Dims{S, 1}), floats({1, N}), floats({})}},
      {{"Expand", 13}, {floats({N, 1, 4}), elements({N, S, 1})}},
      {{"Expand", 13}, {floats({N, M}), elements({P + 2, N, 1})}, 1, false},
      {{"MatMul", 13}, {floats({N, 1, S, P}), floats({M, P, T})}},
      {{"MatMul", 13}, {floats({N, S, P}), floats({N, 4, T})}},
      {{"Gemm", 13, {{"transA", int64_t{1}}}}, {floats({N, M}), floats({N, S}), floats({P + 2, S})}},
      {{"Gemm", 13}, {floats({N, M}), floats({M, 3}), floats({S + 2})}},
      {{"LayerNormalization", 17}, {floats({N, S, M}), floats({M}), floats({P + 2})}, 1},
      {{"Gemm", 13}, {floats({N, M}), floats({M, 3}), floats({S, T})}},
      {{"LayerNormalization", 17}, {floats({N, S, M}), floats({P}), floats({T, 1})}},
      {{"PRelu", 16}, {floats({N, S}), floats({S})}},
  });
}

TEST(SymbolicRules, Reshape) {
  expect_rules_hold({
      {{"Reshape", 14}, {floats({N, S, 12}), elements({0, 0, 3, 4})}},
      {{"Reshape", 14}, {floats({N, S, 12}), elements({0, -1, 3, 4})}},
      {{"Reshape", 14}, {floats({N, S, 12}), elements({N, S, 3, 4})}},
      {{"Reshape", 14}, {floats({N, S, 12}), elements({N, S, 3, -1})}},
      {{"Reshape", 14}, {floats({N, S, 12}), elements({-1, 12})}},
      {{"Reshape", 14}, {floats({N, S, 12}), elements({N * S, 12})}},
      {{"Reshape", 14}, {floats({N * S, 12}), elements({N, S, 12})}},
      {{"Reshape", 14}, {floats({N * S, 12}), elements({N, S, -1})}},
      {{"Reshape", 14}, {floats({N * S, 12}), elements({N, -1, 12})}},
      {{"Reshape", 14}, {floats({4 * N, 7, 7, 12}), elements({N, 2, 2, 7, 7, 12})}},
      {{"Reshape", 14}, {floats({4 * N, 7, 7, 12}), elements({N, 2, 2, 7, 7, -1})}},
      {{"Reshape", 14}, {floats({N, 2, 2, 9}), elements({4 * N, 9})}},
      {{"Reshape", 14}, {floats({N, S}), elements({M, P})}},
      {{"Reshape", 14}, {floats({N, 6}), elements({M, 3})}},
      {{"Reshape", 14}, {floats({N, 6}), elements({-1, 4})}},
      {{"Reshape", 14}, {floats({6, 2}), elements({S, -1})}},
      {{"Reshape", 14}, {floats({6, 2}), elements({0, S})}},
      {{"Reshape", 14}, {floats({N + 1, 6}), elements({N + 1, 2, 3})}},
      {{"Reshape", 14}, {floats({N, 6}), elements({N - 1, 6})}, 1, true},
      {{"Reshape", 14, {{"allowzero", int64_t{1}}}}, {floats({N * S, 6}), elements({N, S, 6})}},
      {{"Reshape", 14, {{"allowzero", int64_t{1}}}}, {floats({N * S, 6}), elements({N, S, -1})}},
      {{"Flatten", 13, {{"axis", int64_t{1}}}}, {floats({N, S, M, 3})}},
      {{"Flatten", 13, {{"axis", int64_t{2}}}}, {floats({N, S, M, 3})}},
      {{"Flatten", 13, {{"axis", int64_t{0}}}}, {floats({N, 0})}},
      {{"Squeeze", 13}, {floats({N, S, 1}), elements({1, 2})}},
      {{"Squeeze", 13}, {floats({1, S + 2, 1})}},
      {{"Unsqueeze", 13}, {floats({N, S}), elements({0, -1})}},
  });
}

TEST(SymbolicRules, Slice) {
  const std::vector<Dim> positions{0, 2, -1, -3, INT64_MAX, -INT64_MAX, P, P + 1, 0 - P, -1 - P, P + T};
  for (const Dim& start : positions) {
    for (const Dim& end : positions) {
      for (const int64_t step : {1, 2, -1, -2}) {
        const Dim dim = step == 2 ? Dim(5) : S;
        expect_rule_holds({{"Slice", 13},
                           {floats({N, dim}), elements({start}), elements({end}), elements({1}), elements({step})},
                           1,
                           true});
      }
    }
  }
  expect_rules_hold({
      {{"Slice", 13}, {floats({N, S}), elements({0, 0}), elements({P, S})}},
      {{"Slice", 13}, {floats({N, S}), elements({1, -1}), elements({INT64_MAX, INT64_MAX})}},
      {{"Slice", 13}, {floats({N, 1024}), elements({P}), elements({P + T}), elements({1})}},
      {{"Slice", 13},
       {floats({N, S}), elements({-1}), Fact(Tensor::of<int64_t>({INT64_MIN})), elements({1}), elements({-1})}},
      {{"Slice", 13}, {floats({N, S}), Fact(Tensor::of<int64_t>({INT64_MIN})), elements({-2}), elements({1})}},
      {{"Slice", 1, {{"starts", Ints{1}}, {"ends", Ints{-1}}, {"axes", Ints{1}}}}, {floats({N, S})}},
  });
}

TEST(SymbolicRules, CuttingAndPadding) {
  const auto equal = [](int64_t opset, int outputs) {
    Attributes attributes{{"axis", int64_t{1}}};
    if (opset >= 18) attributes["num_outputs"] = int64_t{outputs};
    return SymbolicRule{{"Split", opset, attributes}, {floats({N, S})}, outputs};
  };
  for (const int outputs : {1, 2, 3, 4}) expect_rules_hold({equal(13, outputs), equal(18, outputs)});
  expect_rules_hold({
      {{"Split", 13, {{"axis", int64_t{1}}}}, {floats({N, 3 * S})}, 3},
      {{"Split", 13, {{"axis", int64_t{1}}}}, {floats({N, S}), elements({3, 4})}, 2},
      {{"Split", 13, {{"axis", int64_t{1}}}}, {floats({N, S + P}), elements({P, S})}, 2},
      {{"Split", 13, {{"axis", int64_t{1}}}}, {floats({N, S}), elements({2, P, T})}, 3},
      {{"Pad", 13}, {floats({N, S}), elements({0, 1, 0, 2})}},
      {{"Pad", 13}, {floats({N, S}), elements({0, -1, 0, -2})}},
      {{"Pad", 13}, {floats({N, S}), elements({0, P, 1, 4 - S})}},
      {{"Pad", 18}, {floats({N, S, M}), elements({P, 1}), Fact(), elements({1})}},
      {{"Pad", 18}, {floats({N, S, M}), elements({P, 1, 0, T}), Fact(), elements({-1, 0})}},
      {{"Pad", 2, {{"pads", Ints{0, 3, 0, -4}}}}, {floats({N, S})}},
      {{"CenterCropPad", 18}, {floats({N, S}), elements({P, 5})}},
      {{"CenterCropPad", 18, {{"axes", Ints{1}}}}, {floats({N, S}), elements({P})}},
      {{"DepthToSpace", 13, {{"blocksize", int64_t{2}}}}, {floats({N, 4 * M, S, P})}},
      {{"DepthToSpace", 13, {{"blocksize", int64_t{2}}}}, {floats({N, M, S, P})}},
      {{"SpaceToDepth", 13, {{"blocksize", int64_t{3}}}}, {floats({N, M, S, 3 * P})}},
      {{"TopK", 11, {{"axis", int64_t{1}}}}, {floats({N, S}), elements({3})}, 2},
      {{"TopK", 11, {{"axis", int64_t{1}}}}, {floats({N, S}), elements({P})}, 2},
      {{"TopK", 11, {{"axis", int64_t{1}}}}, {floats({N, S}), elements({min(S, 3)})}, 2},
  });
}

TEST(SymbolicRules, Generators) {
  expect_rules_hold({
      {{"ConstantOfShape", 9}, {elements({N, S + 1, 3})}},
      {{"Range", 11}, {scalar(0), scalar(S), scalar(1)}},
      {{"Range", 11}, {scalar(P), scalar(P + T), scalar(1)}},
      {{"Range", 11}, {scalar(P), scalar(T), scalar(3)}},
      {{"Range", 11}, {scalar(S), scalar(0), scalar(-1)}},
      {{"Range", 11}, {scalar(S - 1), scalar(-1), scalar(-2)}},
      {{"Range", 11}, {scalar(0), scalar(S), scalar(P + 1)}},
      {{"OneHot", 11}, {ints({N, S}), scalar(P), floats({2})}},
      {{"OneHot", 11, {{"axis", int64_t{0}}}}, {ints({N, S}), elements({M + 1}), floats({2})}},
      {{"HannWindow", 17}, {scalar(S)}},
      {{"AffineGrid", 20}, {floats({N, 2, 3}), elements({N, 3, S, P})}},
      {{"AffineGrid", 20}, {floats({M, 3, 4}), elements({N, 3, S, P, 5})}},
  });
}

TEST(SymbolicRules, Resize) {
  const auto by_scales = [](float height, float width) {
    return SymbolicRule{{"Resize", 13, {}}, {floats({N, 3, S, P}), Fact(), float_constant({1, 1, height, width})}};
  };
  const auto by_sizes = [](const Dims& sizes, const Attributes& attributes) {
    return SymbolicRule{{"Resize", 18, attributes}, {floats({N, 3, S, P}), Fact(), Fact(), elements(sizes)}};
  };
  expect_rules_hold({by_scales(2, 0.5f), by_scales(3, 0.25f), by_scales(1.5f, 0.0625f), by_scales(64, 0.75f)});
  SymbolicRule inexact = by_scales(0.3f, 1.1f), policy = by_sizes({P, T}, {{"axes", Ints{2, 3}}});
  inexact.opens = policy.opens = true;
  policy.op.attributes["keep_aspect_ratio_policy"] = std::string("not_larger");
  SymbolicRule half = policy;
  half.inputs = {floats({N, 3, 6, S}), Fact(), Fact(), elements({3, 4})};
  expect_rules_hold({inexact, policy, half});
  expect_rules_hold({
      by_sizes({N, 3, 2 * S, P}, {}),
      by_sizes({N, 3, T, 4}, {}),
      by_sizes({M + 1, P}, {{"axes", Ints{3, 2}}}),
      {{"Upsample", 9}, {floats({N, 3, S, P}), float_constant({1, 1, 2, 2})}},
      {{"Upsample", 7, {{"scales", std::vector<float>{1, 1, 2.5f, 2}}}}, {floats({N, 3, S, P})}},
      {{"CropAndResize", 1, {}, "com.microsoft"},
       {floats({N, M, S, S}), floats({P, 4}), Fact(DType::kInt32, Dims{P}), Fact(DType::kInt32, Dims{2})},
       1,
       true},
  });
}

TEST(SymbolicRules, Windows) {
  for (const int64_t kernel : {1, 2, 3, 5}) {
    for (const int64_t stride : {1, 2, 3}) {
      for (const Ints& pads : {Ints{0, 0}, Ints{1, 1}, Ints{0, 2}, Ints{2, 5}}) {
        Attributes conv{{"strides", Ints{stride}}, {"pads", pads}};
        expect_rule_holds({{"Conv", 11, conv}, {floats({N, M, S}), floats({4, M, kernel})}});
        conv["dilations"] = Ints{2};
        expect_rule_holds({{"Conv", 11, conv}, {floats({N, 2, S}), floats({P, 2, kernel})}});
        expect_rule_holds({{"ConvTranspose", 11, conv}, {floats({N, M, S}), floats({M, 3, kernel})}});
        conv["output_padding"] = Ints{stride - 1};
        conv.erase("dilations");
        expect_rule_holds({{"ConvTranspose", 11, conv}, {floats({N, M, S}), floats({M, P, kernel})}});
        for (const bool ceil : {false, true}) {
          Attributes pool{{"kernel_shape", Ints{kernel}}, {"strides", Ints{stride}}, {"pads", pads}};
          pool["ceil_mode"] = int64_t{ceil};
          expect_rule_holds({{"MaxPool", 12, pool}, {floats({N, M, S})}});
          expect_rule_holds({{"AveragePool", 19, pool}, {floats({N, M, 2 * S + 1})}});
          expect_rule_holds({{"MaxPool", 12, pool}, {floats({N, M, floor_div(S, 2)})}});
        }
        expect_rule_holds(
            {{"MaxUnpool", 11, {{"kernel_shape", Ints{kernel}}, {"strides", Ints{stride}}, {"pads", pads}}},
             {floats({N, M, S}), ints({N, M, S})}});
      }
    }
  }
}

TEST(SymbolicRules, WindowsOfWindows) {
  NodeSpec spec;
  spec.op_type = "MaxPool";
  spec.num_inputs = 1;
  spec.attributes = {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}};
  const auto pool = standard_registry().create(spec);
  Fact x = floats({N, 3, S + 1});
  for (int i = 0; i < 6; ++i) x = pool->infer(std::vector{x})[0];
  EXPECT_TRUE(x.dim(2).determined());
  for (int64_t size = 0; size < 300; ++size) {
    Fact y = floats({2, 3, size + 1});
    for (int i = 0; i < 6; ++i) y = pool->infer(std::vector{y})[0];
    DimSubstitution bound;
    bound.add(S, size);
    EXPECT_EQ(bound(x.dim(2)).value(), y.dim(2).value()) << x;
  }
}

TEST(SymbolicRules, WindowsOfTheSameSize) {
  for (const char* padding : {"SAME_UPPER", "SAME_LOWER", "VALID"}) {
    const Attributes conv{{"auto_pad", std::string(padding)}, {"strides", Ints{2, 1}}};
    Attributes pool = conv;
    pool["kernel_shape"] = Ints{3, 2};
    expect_rules_hold({
        {{"Conv", 11, conv}, {floats({N, 4, S, P}), floats({6, 4, 3, 3})}},
        {{"ConvTranspose", 11, conv}, {floats({N, 4, S, P}), floats({4, 6, 3, 3})}},
        {{"MaxPool", 12, pool}, {floats({N, M, S, P})}},
        {{"LpPool", 11, pool}, {floats({N, M, S, P})}},
    });
  }
  expect_rules_hold({
      {{"Conv", 11, {{"group", int64_t{2}}}}, {floats({N, 2 * M, S, S, P}), floats({4, M, 1, 2, 3})}},
      {{"Conv", 11, {{"group", int64_t{2}}}}, {floats({N, P, S}), floats({4, M, 2})}},
      {{"Conv", 11}, {floats({N, 3, S}), floats({4, 3, T})}},
      {{"ConvTranspose", 11, {{"output_shape", Ints{9}}}}, {floats({N, 4, S}), floats({4, 6, 3})}},
      {{"GlobalAveragePool", 1}, {floats({N, M, S, P})}},
      {{"MaxUnpool", 11, {{"kernel_shape", Ints{2}}}}, {floats({N, M, S}), ints({N, M, S}), elements({P, M, T})}},
      {{"Col2Im", 18}, {floats({N, 4 * M, P}), elements({S, T}), elements({2, 2})}},
      {{"Col2Im", 18, {{"strides", Ints{2}}, {"pads", Ints{1, 0}}}},
       {floats({N, 3 * M, P}), elements({S}), elements({3})}},
      {{"DeformConv", 19}, {floats({N, 2, S, P}), floats({4, 2, 3, 3}), floats({N, 18, T, P - 2})}},
      {{"CausalConvWithState", 27}, {floats({N, M, S}), floats({M, 1, 4}), Fact(), floats({P, M, 3})}, 2},
      {{"CausalConvWithState", 27}, {floats({N, M, S}), floats({M, 1, T})}, 2},
      {{"WordConvEmbedding", 1, {}, "com.microsoft"},
       {Fact(DType::kInt32, Dims{N, S}), floats({M, 1, 3, P}), floats({M}), floats({T, P})}},
  });
}

TEST(SymbolicRules, Attention) {
  const Attributes heads{{"q_num_heads", int64_t{4}}, {"kv_num_heads", int64_t{2}}};
  const Fact query = floats({N, T, 32}), key = floats({N, T, 16}), past = floats({N, 2, P, 8});
  const Fact cos = floats({S, 4}), positions = ints({N, T});
  expect_rules_hold({
      {{"Attention", 23, heads}, {query, key, key, Fact(), past, past}, 3},
      {{"Attention", 23, heads}, {query, key, key, floats({N, 1, T, P + T}), past, past}, 3},
      {{"Attention", 23, heads}, {query, key, key, floats({T, S + 2}), past, past}, 3},
      {{"Attention", 24, heads}, {query, key, key, floats({T, S + 2}), past, past}, 3},
      {{"Attention", 23, heads}, {floats({N, T, 4 * M}), floats({N, S, 2 * M}), floats({N, S, 2 * P})}, 3},
      {{"Attention", 23, heads}, {floats({N, T, M}), floats({N, S, P}), floats({N, S, P})}, 3},
      {{"Attention", 23}, {floats({N, 4, T, M}), floats({N, 2, S, M}), floats({P, 2, S, 5})}, 3},
      {{"RotaryEmbedding", 23, {{"num_heads", int64_t{2}}}}, {floats({N, T, 16}), cos, cos, positions}},
      {{"RotaryEmbedding", 23, {{"num_heads", int64_t{2}}}},
       {floats({N, T, 4 * M}), floats({S, P}), floats({S, P}), positions}},
      {{"RotaryEmbedding", 23, {{"rotary_embedding_dim", int64_t{8}}}}, {floats({N, 2, T, M}), cos, cos, positions}},
      {{"LinearAttention",
        27,
        {{"q_num_heads", int64_t{4}}, {"kv_num_heads", int64_t{2}}, {"update_rule", std::string("linear")}}},
       {floats({N, T, 4 * M}), floats({N, T, 2 * M}), floats({P, T, 2 * S})},
       2},
      {{"TensorScatter", 24, {{"axis", int64_t{2}}}}, {floats({N, 2, P, 4}), floats({N, 2, T, 4}), ints({M})}},
      {{"ScatterElements", 18, {{"axis", int64_t{1}}}}, {floats({N, M}), ints({S, P}), floats({S, P})}},
  });
}

TEST(SymbolicRules, SequencesAndTransforms) {
  expect_rules_hold({
      {{"LSTM", 14}, {floats({S, N, T}), floats({1, 4 * M, T}), floats({1, 4 * M, M}), floats({1, 8 * P})}, 3},
      {{"GRU", 14}, {floats({S, N, 4}), floats({1, 3 * M, 4}), floats({1, 3 * M, M})}, 2},
      {{"RNN", 14}, {floats({S, N, 4}), floats({1, T, 4}), floats({1, T, M}), Fact(), Fact(), floats({1, P, M})}, 2},
      {{"DFT", 17, {{"axis", int64_t{1}}, {"onesided", int64_t{1}}}}, {floats({N, S, 1})}},
      {{"DFT", 17, {{"axis", int64_t{1}}}}, {floats({N, S, 2})}},
      {{"DFT", 17, {{"axis", int64_t{1}}}}, {floats({N, S, 2}), scalar(P)}},
      {{"DFT", 17, {{"axis", int64_t{1}}, {"onesided", int64_t{1}}}}, {floats({N, S, 1}), scalar(P - 1)}},
      {{"DFT", 20, {{"inverse", int64_t{1}}, {"onesided", int64_t{1}}}}, {floats({N, S, 2}), Fact(), scalar(1)}},
      {{"STFT", 17}, {floats({N, S, 1}), scalar(2), Fact(), scalar(4)}},
      {{"STFT", 17}, {floats({N, S, 1}), scalar(P), floats({T}), scalar(M)}},
      {{"STFT", 17, {{"onesided", int64_t{0}}}}, {floats({N, S, 2}), scalar(P + 1), floats({5})}},
  });
}

}  // namespace
}  // namespace linnet::testing
