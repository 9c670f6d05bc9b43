#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/conv_reference.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

struct Settings {
  Ints strides{1, 1}, pads{0, 0, 0, 0}, dilations{1, 1};
  int64_t group = 1, offset_group = 1;

  Attributes attributes() const {
    return {{"strides", strides},
            {"pads", pads},
            {"dilations", dilations},
            {"group", group},
            {"offset_group", offset_group}};
  }
};

struct Inputs {
  Tensor x, w, offset, bias, mask;
  std::vector<Tensor> list() const { return {x, w, offset, bias, mask}; }
};

/// Returns the image's value at a point: every pixel weighted by its distance along both axes.
double value_at(const float* plane, int64_t h, int64_t w, double y, double x) {
  if (y <= -1 || y >= double(h) || x <= -1 || x >= double(w)) return 0;
  if (std::isnan(y + x)) return y + x;
  double sum = 0;
  for (int64_t r = 0; r < h; ++r) {
    for (int64_t c = 0; c < w; ++c) {
      const double near_y = 1 - std::abs(y - double(r)), near_x = 1 - std::abs(x - double(c));
      if (near_y > 0 && near_x > 0) sum += near_y * near_x * double(plane[r * w + c]);
    }
  }
  return sum;
}

Tensor deform_conv_reference(const Inputs& in, const Settings& s, const Shape& out) {
  const Shape &x = in.x.shape(), &w = in.w.shape();
  const int64_t taps = w[2] * w[3], pixels = out[2] * out[3];
  Tensor y(DType::kFloat32, out);
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t column = i % out[3], row = i / out[3] % out[2], o = i / pixels % out[1], n = i / pixels / out[1];
    double sum = in.bias ? double(in.bias.data<float>()[o]) : 0;
    for (int64_t k = 0; k < w[1]; ++k) {
      const int64_t c = o / (w[0] / s.group) * w[1] + k, g = c / (x[1] / s.offset_group);
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t at = ((n * s.offset_group + g) * taps + t) * 2 * pixels + i % pixels;
        const double py =
            double(row * s.strides[0] - s.pads[0] + t / w[3] * s.dilations[0]) + double(in.offset.data<float>()[at]);
        const double px = double(column * s.strides[1] - s.pads[1] + t % w[3] * s.dilations[1]) +
                          double(in.offset.data<float>()[at + pixels]);
        const double scale =
            in.mask ? double(in.mask.data<float>()[((n * s.offset_group + g) * taps + t) * pixels + i % pixels]) : 1;
        const double weight = double(in.w.data<float>()[(o * w[1] + k) * taps + t]);
        sum += weight * scale * value_at(in.x.data<float>() + (n * x[1] + c) * x[2] * x[3], x[2], x[3], py, px);
      }
    }
    y.data<float>()[i] = float(sum);
  }
  return y;
}

struct DeformConvCase {
  Settings settings;
  Shape x, w;
  bool bias = true, mask = true;
};

const DeformConvCase kCases[] = {
    {{}, {1, 1, 5, 5}, {1, 1, 3, 3}, false, false},
    {{.pads = {1, 1, 1, 1}}, {2, 16, 9, 11}, {20, 16, 3, 3}},
    {{.strides = {2, 1}, .pads = {2, 0, 1, 3}, .dilations = {1, 2}, .group = 2, .offset_group = 3},
     {2, 12, 8, 9},
     {6, 6, 3, 2}},
    {{.pads = {0, 1, 0, 1}, .group = 3, .offset_group = 1}, {1, 9, 1, 6}, {3, 3, 1, 3}, true, false},
    {{.offset_group = 2}, {3, 500, 4, 1}, {33, 500, 1, 1}, false, true},
    {{.pads = {1, 1, 1, 1}, .offset_group = 2}, {1, 160, 13, 7}, {70, 160, 3, 3}},
    {{.pads = {3, 2, 3, 2}}, {2, 5, 6, 6}, {3, 5, 7, 5}},
};

Shape output_shape(const DeformConvCase& c) {
  const auto extent = [&](size_t axis) {
    const Settings& s = c.settings;
    const int64_t reach = (c.w[int(axis) + 2] - 1) * s.dilations[axis];
    return (c.x[int(axis) + 2] + s.pads[axis] + s.pads[axis + 2] - reach - 1) / s.strides[axis] + 1;
  };
  return {c.x[0], c.w[0], extent(0), extent(1)};
}

Inputs make_inputs(const DeformConvCase& c) {
  const Shape out = output_shape(c);
  const int64_t channels = c.settings.offset_group * c.w[2] * c.w[3];
  Inputs in;
  in.x = random_tensor(c.x, 1);
  in.w = random_tensor(c.w, 2);
  in.offset = random_uniform({c.x[0], 2 * channels, out[2], out[3]}, -3, 3, 3);
  for (int64_t i = 0; i < in.offset.size(); i += 3) {
    float& value = in.offset.data<float>()[i];
    value = i % 2 ? std::round(value) : value * 1e6f;
  }
  if (c.bias) in.bias = random_tensor({c.w[0]}, 4);
  if (c.mask) in.mask = random_uniform({c.x[0], channels, out[2], out[3]}, 0, 2, 5);
  return in;
}

class DeformConv : public ::testing::TestWithParam<Isa> {};

double tolerance(const DeformConvCase& c) { return 1e-5 * std::sqrt(double(c.w[1] * c.w[2] * c.w[3])); }

/// Runs the operator without rewrites.
Tensor run_as_written(const OpCase& op, const std::vector<Tensor>& inputs, Isa isa) {
  GraphBuilder b(op.opset);
  std::vector<ValueId> values;
  std::vector<Tensor> given;
  for (const Tensor& input : inputs) {
    values.push_back(input ? b.input(str("x", values.size()), input.shape()) : kNoValue);
    if (input) given.push_back(input);
  }
  b.output(b.op(op.op_type, values, op.attributes, op.domain));
  ModelOptions options;
  options.isa = isa;
  options.optimization = 0;
  return run_model(b.model(options), given)[0];
}

TEST_P(DeformConv, MatchesTheDoubleReference) {
  for (const DeformConvCase& c : kCases) {
    const Inputs in = make_inputs(c);
    const Tensor want = deform_conv_reference(in, c.settings, output_shape(c));
    const auto attributes = c.settings.attributes();
    const OpCase standard{"DeformConv", 19, attributes}, custom{"deform_conv2d", 1, attributes, "custom"};
    expect_close(run_op(standard, in.list(), 1, {1}, GetParam())[0], want, tolerance(c));
    expect_close(run_op(custom, in.list(), 1, {}, GetParam())[0], want, tolerance(c));
    expect_close(run_as_written(standard, in.list(), GetParam()), want, tolerance(c));
  }
}

Tensor last(const Tensor& tensor) { return tensor ? to_channels_last(tensor) : tensor; }

/// Returns LeakyRelu(y + residual) with slope 1/8.
Tensor with_epilogue(const Tensor& y, const Tensor& residual) {
  Tensor result = y.clone();
  for (int64_t i = 0; i < y.size(); ++i) {
    const float sum = y.data<float>()[i] + residual.data<float>()[i];
    result.data<float>()[i] = sum > 0 ? sum : sum / 8;
  }
  return result;
}

Attributes internal_attributes(const DeformConvCase& c) {
  auto attributes = c.settings.attributes();
  attributes["activation"] = std::string("LeakyRelu");
  attributes["activation_alpha"] = 0.125f;
  return attributes;
}

TEST_P(DeformConv, ChannelsLastAddsAResidualAndActivates) {
  for (const DeformConvCase& c : kCases) {
    const Inputs in = make_inputs(c);
    const Tensor residual = random_tensor(output_shape(c), 6);
    const Tensor want = with_epilogue(deform_conv_reference(in, c.settings, output_shape(c)), residual);
    const Tensor got =
        run_op({"DeformConv", 1, internal_attributes(c), "linnet"},
               {last(in.x), in.w, last(in.offset), in.bias, last(in.mask), last(residual)}, 1, {1}, GetParam())[0];
    expect_close(to_channels_first(got), want, tolerance(c));
  }
}

/// Returns the offsets of every image followed by the values of its mask before the sigmoid. Replaces in.mask by its
/// sigmoid.
Tensor offset_with_mask(Inputs& in) {
  const Shape &offset = in.offset.shape(), &mask = in.mask.shape();
  Tensor both(DType::kFloat32, {offset[0], offset[1] + mask[1], offset[2], offset[3]});
  const int64_t offsets = offset.elements(1, 4), masks = mask.elements(1, 4);
  for (int64_t n = 0; n < offset[0]; ++n) {
    float* to = std::copy_n(in.offset.data<float>() + n * offsets, offsets, both.data<float>() + n * (offsets + masks));
    float* m = in.mask.data<float>() + n * masks;
    std::copy_n(m, masks, to);
    std::transform(m, m + masks, m, [](float value) { return 1 / (1 + std::exp(-value)); });
  }
  return both;
}

TEST_P(DeformConv, ReadsTheMaskBehindTheOffsets) {
  for (const DeformConvCase& c : kCases) {
    if (!c.mask) continue;
    Inputs in = make_inputs(c);
    const Tensor field = last(offset_with_mask(in));
    auto attributes = c.settings.attributes();
    for (const char* derived : {"group", "offset_group"}) attributes.erase(derived);
    attributes["mask_in_offset"] = int64_t{1};
    const Tensor got =
        run_op({"DeformConv", 1, attributes, "linnet"}, {last(in.x), in.w, field, in.bias}, 1, {1}, GetParam())[0];
    expect_close(to_channels_first(got), deform_conv_reference(in, c.settings, output_shape(c)), tolerance(c));
  }
}

TEST_P(DeformConv, GivesTheSameBitsForAnyNumberOfThreads) {
  const DeformConvCase c{{.pads = {1, 1, 1, 1}, .group = 2}, {2, 64, 23, 19}, {80, 32, 3, 3}};
  const auto run = [&](int threads) {
    return run_op({"DeformConv", 19, c.settings.attributes()}, make_inputs(c).list(), 1, {1}, GetParam(), threads)[0];
  };
  const Tensor one = run(1);
  for (const int threads : {2, 3}) {
    EXPECT_EQ(std::memcmp(run(threads).data<float>(), one.data<float>(), size_t(one.size()) * sizeof(float)), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, DeformConv, ::testing::ValuesIn(supported_isas()));

TEST(DeformConv, ComputesDoublesAndHalves) {
  const DeformConvCase& c = kCases[2];
  const Inputs in = make_inputs(c);
  const Tensor want = deform_conv_reference(in, c.settings, output_shape(c));
  std::vector<Tensor> doubles, halves;
  for (const Tensor& tensor : in.list()) doubles.push_back(cast_to(tensor, DType::kFloat64));
  expect_close(run_op({"DeformConv", 19, c.settings.attributes()}, doubles)[0], cast_to(want, DType::kFloat64), 1e-5);
  Inputs rounded = in;
  for (Tensor* tensor : {&rounded.x, &rounded.w, &rounded.offset, &rounded.bias, &rounded.mask}) {
    if (tensor == &rounded.offset) std::fill_n(tensor->data<float>(), tensor->size(), 0.25f);
    halves.push_back(cast_to(*tensor, DType::kFloat16));
    *tensor = cast_to(halves.back(), DType::kFloat32);
  }
  expect_close(
      run_op({"DeformConv", 19, c.settings.attributes()}, {halves[0], halves[1], halves[2], halves[3], halves[4]})[0],
      cast_to(deform_conv_reference(rounded, c.settings, output_shape(c)), DType::kFloat16), 1e-2, 1e-2);
}

TEST(DeformConv, WithoutOffsetsIsAConvolution) {
  const Tensor x = random_tensor({1, 6, 7, 7}), w = random_tensor({8, 3, 3, 3}, 1);
  Tensor offset(DType::kFloat32, Shape{1, 18, 7, 7});
  std::fill_n(offset.data<float>(), offset.size(), 0.0f);
  const Attributes attributes{{"pads", Ints{1, 1, 1, 1}}, {"group", int64_t{2}}};
  expect_close(run_op({"DeformConv", 19, attributes}, {x, w, offset})[0], run_op({"Conv", 13, attributes}, {x, w})[0],
               1e-5);
}

TEST(DeformConv, TakesEmptyBatchesAndSpecialOffsets) {
  const Tensor w = Tensor::of(Shape{1, 1, 1, 1}, std::vector<float>{2});
  EXPECT_EQ(
      run_op({"DeformConv", 19}, {Tensor(DType::kFloat32, {0, 1, 2, 2}), w, Tensor(DType::kFloat32, {0, 2, 2, 2})})[0]
          .shape(),
      (Shape{0, 1, 2, 2}));
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::of(Shape{1, 1, 1, 5}, std::vector<float>{1, 1, 1, 1, 1});
  const Tensor offset = Tensor::of(Shape{1, 2, 1, 5}, std::vector<float>{nan, inf, -inf, -0.5f, 1e30f, 0, 0, 0, 0, 0});
  expect_close(run_op({"DeformConv", 19}, {x, w, offset})[0],
               Tensor::of(Shape{1, 1, 1, 5}, std::vector<float>{nan, 0, 0, 1, 0}));
}

TEST(DeformConv2d, DerivesGroupsThatAreNotGiven) {
  const Settings s{.group = 2, .offset_group = 3};
  const DeformConvCase c{s, {1, 12, 5, 5}, {4, 6, 3, 3}, false, false};
  const Inputs in = make_inputs(c);
  expect_close(run_op({"deform_conv2d", 1, {}, "custom"}, {in.x, in.w, in.offset})[0],
               deform_conv_reference(in, s, output_shape(c)), 1e-4);
}

TEST(DeformConv2d, SaysThatTheWeightsAreMissing) {
  const Tensor x = random_tensor({1, 1, 5, 5}), offset = random_tensor({1, 18, 3, 3});
  expect_error(ErrorKind::kModel, "its weights were never exported", [&] {
    run_op({"deform_conv2d", 1, {}, "custom"}, {x, offset});
  });
}

TEST(DeformConv, SaysWhatDoesNotFit) {
  const Tensor x = random_tensor({1, 4, 5, 5}), w = random_tensor({2, 4, 3, 3});
  const auto run = [&](const Tensor& offset, const Tensor& mask) {
    return [=] { run_op({"DeformConv", 19}, {x, w, offset, {}, mask}); };
  };
  expect_error(ErrorKind::kShape, "the channels of offset", run(random_tensor({1, 9, 3, 3}), {}));
  expect_error(ErrorKind::kShape, "dim 2 of offset", run(random_tensor({1, 18, 5, 5}), {}));
  expect_error(ErrorKind::kShape, "the channels of mask",
               run(random_tensor({1, 18, 3, 3}), random_tensor({1, 18, 3, 3})));
  expect_error(ErrorKind::kShape, "offset_group 3", [&] {
    run_op({"DeformConv", 19, {{"offset_group", int64_t{3}}}}, {x, w, random_tensor({1, 54, 3, 3})});
  });
}

TEST(DeformConv, ChannelsLastSaysWhatDoesNotFit) {
  const Tensor x = random_tensor({1, 5, 5, 4}), w = random_tensor({2, 4, 3, 3}), offset = random_tensor({1, 3, 3, 18});
  const auto run = [&](const std::vector<Tensor>& inputs, int64_t mask_in_offset = 0) {
    return [=] { run_op({"DeformConv", 1, {{"mask_in_offset", mask_in_offset}}, "linnet"}, inputs); };
  };
  expect_error(ErrorKind::kShape, "the channels of offset", run({x, w, random_tensor({1, 18, 3, 3})}));
  expect_error(ErrorKind::kShape, "dim 1 of offset", run({x, w, random_tensor({1, 5, 5, 18})}));
  expect_error(ErrorKind::kShape, "the residual must be float32[1,3,3,2]",
               run({x, w, offset, {}, {}, random_tensor({1, 2, 3, 3})}));
  expect_error(ErrorKind::kModel, "no mask",
               run({x, w, random_tensor({1, 3, 3, 27}), {}, random_tensor({1, 3, 3, 9})}, 1));
  expect_error(ErrorKind::kType, "input X", run({cast_to(x, DType::kFloat64), w, offset}));
}

TEST(DeformConv, RefusesImagesWhoseCoordinatesFloatsCannotHold) {
  const int64_t width = (int64_t{1} << 24) + 1;
  const Tensor x(DType::kFloat32, {1, 1, 1, width}), w = random_tensor({1, 1, 1, 1});
  const OpCase op{"DeformConv", 19, {{"strides", Ints{1, width}}}};
  expect_error(ErrorKind::kUnsupported, "got 1x16777217", [&] { run_op(op, {x, w, random_tensor({1, 2, 1, 1})}); });
}

}  // namespace
}  // namespace linnet::testing
