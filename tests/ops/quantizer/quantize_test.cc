#include "linnet/quantize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Samples = std::vector<std::vector<Tensor>>;

Model as_written(const GraphBuilder& b) {
  ModelOptions options;
  options.optimization = 0;
  return b.model(options);
}

Samples samples_of(const Shape& shape, int count = 2) {
  Samples samples;
  for (int i = 0; i < count; ++i) samples.push_back({random_tensor(shape, unsigned(i))});
  return samples;
}

/// Returns the operators in order: "QuantizeLinear Conv".
std::string ops_of(const Model& model) {
  std::string ops;
  for (const NodeId id : model_graph(model).nodes()) {
    ops += (ops.empty() ? "" : " ") + model_graph(model).node(id).spec.op_type;
  }
  return ops;
}

struct ConvGraph : GraphBuilder {
  ValueId conv(ValueId x, int64_t in, int64_t out, int64_t kernel, unsigned seed) {
    const float scale = 1 / std::sqrt(float(in * kernel * kernel));
    return op("Conv", {x, constant(random_uniform({out, in, kernel, kernel}, -scale, scale, seed)),
                       constant(random_uniform({out}, -0.1f, 0.1f, seed))});
  }
};

double snr(const Tensor& wanted, const Tensor& got) {
  double signal = 0, noise = 0;
  for (int64_t i = 0; i < wanted.size(); ++i) {
    const double x = double(wanted.data<float>()[i]), y = double(got.data<float>()[i]);
    signal += x * x;
    noise += (x - y) * (x - y);
  }
  return 10 * std::log10(signal / noise);
}

const Shape kImage{1, 3, 9, 9};

TEST(Quantize, StaticSurroundsProductsAndTheirActivations) {
  ConvGraph b;
  const ValueId y = b.op("Relu", {b.conv(b.input("x", kImage), 3, 8, 3, 1)});
  b.output(b.conv(y, 8, 4, 1, 2));
  const QuantizedModel result = quantize(as_written(b), samples_of(kImage));
  EXPECT_EQ(ops_of(result.model),
            "QuantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear Conv Relu "
            "QuantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear Conv "
            "QuantizeLinear DequantizeLinear");
  EXPECT_GT(result.output_snr_db[0], 30);
}

TEST(Quantize, ReportsTheRatiosThatTheFilesHave) {
  ConvGraph b;
  b.output(b.conv(b.input("x", kImage), 3, 8, 3, 1));
  const Samples samples = samples_of(kImage, 1);
  for (const QuantizeMode mode : {QuantizeMode::kStatic, QuantizeMode::kDynamic}) {
    const QuantizedModel result = quantize(as_written(b), samples, {.mode = mode});
    const double want = snr(run_model(as_written(b), samples[0])[0], run_model(result.model, samples[0])[0]);
    EXPECT_NEAR(result.output_snr_db[0], want, 0.01);
    ASSERT_EQ(result.layers.size(), 1u);
    EXPECT_NEAR(result.layers[0].snr_db, want, 0.01);  // the only layer
    EXPECT_GT(want, 30);
  }
}

TEST(Quantize, EveryChannelWithAScaleOfItsOwnIsBetter) {
  ConvGraph b;
  Tensor w = random_uniform({4, 3, 3, 3}, -1, 1);
  for (int64_t i = 0; i < 27; ++i) w.data<float>()[i] *= 100;
  b.output(b.op("Conv", {b.input("x", kImage), b.constant(w)}));
  const Model model = as_written(b);
  const Samples samples = samples_of(kImage);
  for (const QuantizeMode mode : {QuantizeMode::kStatic, QuantizeMode::kDynamic}) {
    const auto error = [&](bool per_channel) {
      const Model result = quantize(model, samples, {.mode = mode, .per_channel = per_channel}).model;
      const Tensor y = run_model(result, samples[0])[0], want = run_model(model, samples[0])[0];
      double sum = 0;  // The sum is over the last channel, whose weights are small.
      for (int64_t i = y.size() * 3 / 4; i < y.size(); ++i)
        sum += std::abs(double(y.data<float>()[i] - want.data<float>()[i]));
      return sum;
    };
    if (mode == QuantizeMode::kDynamic) {
      EXPECT_LT(error(true) * 4, error(false));
    }
    EXPECT_LE(error(true), error(false) * 1.01);
  }
}

TEST(Quantize, BatchNormalizationBecomesAPartOfTheConvBefore) {
  ConvGraph b;
  const ValueId y = b.conv(b.input("x", kImage), 3, 8, 3, 1);
  std::vector<ValueId> inputs{y};
  for (unsigned i = 0; i < 4; ++i) inputs.push_back(b.constant(random_uniform({8}, 0.5f, 2, i)));
  b.output(b.op("BatchNormalization", inputs));
  const QuantizedModel result = quantize(as_written(b), samples_of(kImage));
  EXPECT_EQ(count_ops(result.model, "BatchNormalization"), 0);
  EXPECT_GT(result.output_snr_db[0], 30);
}

TEST(Quantize, MovedElementsShareAGrid) {
  ConvGraph b;
  const ValueId x = b.input("x", kImage);
  const ValueId both = b.op("Concat", {b.conv(x, 3, 4, 3, 1), b.conv(x, 3, 4, 3, 2)}, {{"axis", int64_t{1}}});
  const ValueId pooled = b.op("MaxPool", {both}, {{"kernel_shape", std::vector<int64_t>{2, 2}}});
  b.output(b.conv(pooled, 8, 2, 1, 3));
  const QuantizedModel result = quantize(as_written(b), samples_of(kImage));
  const Graph& graph = model_graph(result.model);
  std::vector<float> scales;
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.spec.op_type == "QuantizeLinear") scales.push_back(graph.constant_input(node, 1)->data<float>()[0]);
  }
  ASSERT_EQ(scales.size(), 6u);  // x, both convolutions, their concatenation, its maxima and the last convolution.
  for (size_t i = 2; i < 5; ++i) EXPECT_EQ(scales[i], scales[1]);
}

TEST(Quantize, AProductBeforeAFloatOperatorGivesFloats) {
  GraphBuilder b;
  const ValueId product = b.op("MatMul", {b.input("x", {4, 8}), b.constant(random_tensor({8, 6}))});
  b.output(b.op("Softmax", {product}));
  EXPECT_EQ(ops_of(quantize(as_written(b), samples_of({4, 8})).model),
            "QuantizeLinear DequantizeLinear DequantizeLinear MatMul Softmax");
}

TEST(Quantize, DynamicQuantizesWhatIsReadTwiceOnce) {
  GraphBuilder b;
  const ValueId x = b.input("x", {4, 8});
  b.output(b.op("MatMul", {x, b.constant(random_tensor({8, 6}))}));
  b.output(
      b.op("Gemm", {x, b.constant(random_tensor({5, 8})), b.constant(random_tensor({5}))}, {{"transB", int64_t{1}}}));
  const QuantizedModel result = quantize(as_written(b), samples_of({4, 8}), {.mode = QuantizeMode::kDynamic});
  EXPECT_EQ(count_ops(result.model, "DynamicQuantizeLinear"), 1);
  EXPECT_EQ(count_ops(result.model, "MatMulInteger"), 2);
  for (const double db : result.output_snr_db) EXPECT_GT(db, 30);
}

TEST(Quantize, SharedWeightsStayShared) {
  GraphBuilder b;
  const ValueId w = b.constant(random_tensor({32, 32}));
  b.output(b.op("MatMul", {b.op("Softmax", {b.op("MatMul", {b.input("x", {4, 32}), w})}), w}));
  for (const QuantizeMode mode : {QuantizeMode::kStatic, QuantizeMode::kDynamic, QuantizeMode::kInt4}) {
    const Model result = quantize(as_written(b), samples_of({4, 32}), {.mode = mode}).model;
    const Graph& graph = model_graph(result);
    int weights = 0;
    for (ValueId id = 0; id < graph.value_count(); ++id) {
      weights +=
          graph.value(id).producer == kNoValue && graph.fact(id).constant && graph.fact(id).constant.bytes() > 500;
    }
    EXPECT_EQ(weights, 1);
  }
}

TEST(Quantize, Int4TakesMatricesInEitherOrder) {
  GraphBuilder b;
  const ValueId x = b.input("x", {4, 40});
  b.output(b.op("MatMul", {x, b.constant(random_tensor({40, 6}))}));
  b.output(
      b.op("Gemm", {x, b.constant(random_tensor({6, 40})), b.constant(random_tensor({6}))}, {{"transB", int64_t{1}}}));
  const QuantizedModel result = quantize(as_written(b), samples_of({4, 40}), {.mode = QuantizeMode::kInt4});
  EXPECT_EQ(count_ops(result.model, "MatMulNBits", "com.microsoft"), 2);
  for (const double db : result.output_snr_db) EXPECT_GT(db, 17);
}

TEST(Quantize, LeavesOutWhatIsNamedAndWhatIsWorse) {
  ConvGraph b;
  const ValueId first = b.conv(b.input("x", kImage), 3, 8, 3, 1);
  b.output(b.conv(first, 8, 4, 1, 2));
  const Samples samples = samples_of(kImage);
  const QuantizedModel all = quantize(as_written(b), samples);
  const QuantizedModel named = quantize(as_written(b), samples, {.exclude = {all.layers[0].node}});
  EXPECT_FALSE(named.layers[0].quantized);
  EXPECT_TRUE(std::isnan(named.layers[0].snr_db));
  EXPECT_TRUE(named.layers[1].quantized);
  EXPECT_EQ(count_ops(named.model, "QuantizeLinear"), 2);
  const double between = (all.layers[0].snr_db + all.layers[1].snr_db) / 2;
  const QuantizedModel best = quantize(as_written(b), samples, {.least_snr_db = between});
  EXPECT_NE(best.layers[0].quantized, best.layers[1].quantized);
  EXPECT_EQ(best.layers[0].quantized, all.layers[0].snr_db > between);
}

TEST(Quantize, OutliersAreClippedWhereTheMethodSaysSo) {
  ConvGraph b;
  b.output(b.conv(b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 3, 9, 9})), 3, 8, 3, 1));
  Samples outlier = samples_of({200, 3, 9, 9}, 1);
  outlier[0][0].data<float>()[0] = 1000;
  const Tensor other = random_tensor(kImage, 7);
  const auto ratio = [&](CalibrationMethod method) {
    const Model model = quantize(as_written(b), outlier, {.method = method, .percentile = 98}).model;
    return snr(run_model(as_written(b), {other})[0], run_model(model, {other})[0]);
  };
  const double plain = ratio(CalibrationMethod::kMinMax);
  EXPECT_GT(ratio(CalibrationMethod::kPercentile), plain + 10);
  EXPECT_GT(ratio(CalibrationMethod::kEntropy), plain + 10);
}

TEST(Quantize, RefusesWhatItCannotQuantize) {
  ConvGraph b;
  b.output(b.conv(b.input("x", kImage), 3, 8, 3, 1));
  const Samples samples = samples_of(kImage);
  expect_error(ErrorKind::kUnsupported, "optimization 0", [&] { quantize(b.model(), samples); });
  expect_error(ErrorKind::kModel, "got no samples", [&] { quantize(as_written(b), {}); });
  expect_error(ErrorKind::kModel, "no node 'nobody'",
               [&] { quantize(as_written(b), samples, {.exclude = {"nobody"}}); });
  const Model quantized = quantize(as_written(b), samples).model;
  expect_error(ErrorKind::kModel, "quantised already", [&] { quantize(quantized, samples); });
  expect_error(ErrorKind::kModel, "nothing to quantise",
               [&] { quantize(as_written(b), samples, {.mode = QuantizeMode::kInt4}); });
  expect_error(ErrorKind::kUnsupported, "blocks of 24",
               [&] { quantize(as_written(b), samples, {.mode = QuantizeMode::kInt4, .block_size = 24}); });
  Samples infinite = samples;
  infinite[1][0].data<float>()[5] = INFINITY;
  expect_error(ErrorKind::kModel, "'x' holds inf", [&] { quantize(as_written(b), infinite); });
}

TEST(Quantize, RefusesWeightsAndBiasesThatAreNoNumbers) {
  const Samples samples = samples_of({4, 8});
  for (const QuantizeMode mode : {QuantizeMode::kStatic, QuantizeMode::kDynamic, QuantizeMode::kInt4}) {
    for (const float value : {NAN, INFINITY, -INFINITY}) {
      for (const bool of_bias : {false, true}) {
        Tensor weights = random_tensor({8, 6}), bias = random_tensor({6});
        (of_bias ? bias : weights).data<float>()[5] = value;
        GraphBuilder b;
        b.output(b.op("Gemm", {b.input("x", {4, 8}), b.constant(weights), b.constant(bias)}));
        const std::string what = of_bias ? "the biases of 'Gemm" : "the weights of 'Gemm";
        expect_error(ErrorKind::kModel, what, [&] { quantize(as_written(b), samples, {.mode = mode}); });
      }
    }
  }
}

TEST(Quantize, RaisesTheOpsetWhereOperatorsMeanTheSame) {
  GraphBuilder b(11);
  const ValueId y = b.op("Relu", {b.op("MatMul", {b.input("x", {4, 8}), b.constant(random_tensor({8, 6}))})});
  b.output(b.op("MatMul", {y, b.constant(random_tensor({6, 2}))}));
  const Model result = quantize(as_written(b), samples_of({4, 8}), {.per_channel = true}).model;
  for (const NodeId id : model_graph(result).nodes()) EXPECT_EQ(model_graph(result).node(id).spec.opset, 13);
  b.output(b.op("Softmax", {y}));
  EXPECT_NO_THROW(quantize(as_written(b), samples_of({4, 8})));
  expect_error(ErrorKind::kUnsupported, "Softmax", [&] {
    quantize(as_written(b), samples_of({4, 8}), {.per_channel = true});
  });
}

TEST(Quantize, SumsThatLeave32BitsStayInFloats) {
  GraphBuilder b;
  b.output(b.op("MatMul", {b.input("x", {1, 65800}), b.constant(random_tensor({65800, 1}))}));
  expect_error(ErrorKind::kModel, "nothing to quantise", [&] { quantize(as_written(b), samples_of({1, 65800})); });
}

}  // namespace
}  // namespace linnet::testing
