#include <gtest/gtest.h>

#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

struct ConvTransposeCase {
  Shape x, w;
  Ints strides{1, 1}, pads{0, 0, 0, 0}, dilations{1, 1}, output_padding{0, 0};
  int64_t group = 1;
};

/// Adds the kernel, scaled by every input value, to a canvas in double precision, then crops it by the pads.
Tensor conv_transpose_reference(const ConvTransposeCase& c, const Tensor& x, const Tensor& w, const Tensor& bias) {
  const int64_t batch = c.x[0], channels = c.x[1], height = c.x[2], width = c.x[3], kh = c.w[2], kw = c.w[3];
  const int64_t group_out = c.w[1], out_channels = group_out * c.group, group_in = channels / c.group;
  const int64_t rows = (height - 1) * c.strides[0] + (kh - 1) * c.dilations[0] + 1 + c.output_padding[0];
  const int64_t columns = (width - 1) * c.strides[1] + (kw - 1) * c.dilations[1] + 1 + c.output_padding[1];
  std::vector<double> canvas(size_t(batch * out_channels * rows * columns));
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t n = i / (channels * height * width), ch = i / (height * width) % channels;
    const int64_t row = i / width % height * c.strides[0], column = i % width * c.strides[1];
    for (int64_t j = 0; j < group_out * kh * kw; ++j) {
      const int64_t o = ch / group_in * group_out + j / (kh * kw);
      const int64_t at_row = row + j / kw % kh * c.dilations[0], at_column = column + j % kw * c.dilations[1];
      canvas[size_t(((n * out_channels + o) * rows + at_row) * columns + at_column)] +=
          double(x.data<float>()[i]) * double(w.data<float>()[ch * group_out * kh * kw + j]);
    }
  }
  Tensor y(DType::kFloat32, Shape{batch, out_channels, rows - c.pads[0] - c.pads[2], columns - c.pads[1] - c.pads[3]});
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t plane = i / (y.dim(2) * y.dim(3)), row = i / y.dim(3) % y.dim(2), column = i % y.dim(3);
    const double sum = canvas[size_t((plane * rows + row + c.pads[0]) * columns + column + c.pads[1])];
    y.data<float>()[i] = float(sum + (bias ? double(bias.data<float>()[plane % out_channels]) : 0.0));
  }
  return y;
}

OpCase conv_transpose(const ConvTransposeCase& c) {
  return {"ConvTranspose",
          11,
          {{"strides", c.strides},
           {"pads", c.pads},
           {"dilations", c.dilations},
           {"output_padding", c.output_padding},
           {"group", c.group}}};
}

class ConvTranspose : public ::testing::TestWithParam<Isa> {};

TEST_P(ConvTranspose, EqualsTheDefinition) {
  const std::vector<ConvTransposeCase> cases = {
      {{1, 1, 3, 3}, {1, 2, 3, 3}},
      {{2, 5, 4, 6}, {5, 20, 2, 2}, {2, 2}},
      {{1, 18, 5, 7}, {18, 35, 3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, {1, 1}},
      {{1, 4, 6, 5}, {4, 3, 4, 3}, {3, 2}, {1, 0, 2, 1}, {1, 2}, {2, 1}},
      {{1, 3, 4, 4}, {3, 2, 2, 2}, {3, 3}},  // outputs that no kernel position reaches
      {{1, 3, 5, 4}, {3, 2, 3, 2}, {2, 2}, {0, 0, 0, 0}, {2, 2}},
      {{2, 6, 4, 3}, {6, 2, 3, 3}, {2, 1}, {1, 1, 0, 1}, {1, 1}, {0, 0}, 3},
      {{1, 4, 4, 30}, {4, 1, 4, 4}, {2, 2}, {1, 1, 1, 1}, {1, 1}, {0, 0}, 4},
  };
  unsigned seed = 1;
  for (const ConvTransposeCase& c : cases) {
    SCOPED_TRACE(str("x ", c.x, " w ", c.w, " group ", c.group));
    const Tensor x = random_tensor(c.x, ++seed), w = random_tensor(c.w, ++seed);
    const Tensor bias = random_tensor({c.w[1] * c.group}, ++seed);
    const Tensor want = conv_transpose_reference(c, x, w, bias);
    expect_close(run_op(conv_transpose(c), {x, w, bias}, 1, {1}, GetParam())[0], want, 1e-4, 1e-5);
    expect_close(run_op(conv_transpose(c), {x, w, bias}, 1, {}, GetParam(), 3)[0], want, 1e-4, 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, ConvTranspose, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

TEST(ConvTransposeOp, FindsThePadsForAnOutputShape) {
  const Tensor x = random_tensor({1, 2, 3, 3}, 1), w = random_tensor({2, 3, 3, 3}, 2);
  const auto run = [&](const std::string& name, const Attribute& value, const std::string& auto_pad) {
    OpCase op{"ConvTranspose", 11, {{"strides", Ints{2, 2}}, {"auto_pad", auto_pad}}};
    op.attributes[name] = value;
    return run_op(op, {x, w})[0];
  };
  // The whole output is 7 x 7.
  ConvTransposeCase upper{x.shape(), w.shape(), {2, 2}, {0, 0, 1, 1}},
      lower{x.shape(), w.shape(), {2, 2}, {1, 1, 0, 0}};
  expect_close(run("output_shape", Ints{6, 6}, "SAME_UPPER"), conv_transpose_reference(upper, x, w, {}), 1e-4, 1e-5);
  expect_close(run("output_shape", Ints{6, 6}, "NOTSET"), conv_transpose_reference(lower, x, w, {}), 1e-4, 1e-5);
  expect_close(run("group", int64_t{1}, "SAME_UPPER"), conv_transpose_reference(upper, x, w, {}), 1e-4, 1e-5);
  expect_close(run("group", int64_t{1}, "SAME_LOWER"), conv_transpose_reference(lower, x, w, {}), 1e-4, 1e-5);
  const Tensor larger = run("output_shape", Ints{8, 9}, "NOTSET");
  ConvTransposeCase padded{x.shape(), w.shape(), {2, 2}};
  padded.output_padding = {1, 2};
  expect_close(larger, conv_transpose_reference(padded, x, w, {}), 1e-4, 1e-5);
}

TEST(ConvTransposeOp, HasOneToThreeSpatialAxes) {
  ConvTransposeCase c{{2, 3, 5, 1}, {3, 4, 3, 1}, {2, 1}};
  const Tensor x = random_tensor(c.x, 1), w = random_tensor(c.w, 2);
  const Tensor want = conv_transpose_reference(c, x, w, {});
  OpCase line{"ConvTranspose", 11, {{"strides", Ints{2}}}};
  expect_close(run_op(line, {x.reshaped({2, 3, 5}), w.reshaped({3, 4, 3})})[0], want.reshaped({2, 4, 11}), 1e-5, 1e-5);
  OpCase volume{"ConvTranspose", 11, {{"strides", Ints{1, 2, 1}}}};
  const Tensor y = run_op(volume, {x.reshaped({2, 3, 1, 5, 1}), w.reshaped({3, 4, 1, 3, 1})})[0];
  expect_close(y, want.reshaped({2, 4, 1, 11, 1}), 1e-5, 1e-5);
}

TEST(ConvTransposeOp, ComputesOtherFloatTypes) {
  ConvTransposeCase c{{2, 4, 3, 5}, {4, 3, 3, 2}, {2, 1}, {1, 0, 0, 1}, {1, 1}, {1, 0}, 2};
  const auto f32 = [](const Tensor& t) { return cast_to(t, DType::kFloat32); };
  for (const auto& [dtype, tolerance] :
       {std::pair{DType::kFloat64, 1e-6}, {DType::kFloat16, 1e-3}, {DType::kBFloat16, 8e-3}}) {
    const Tensor x = cast_to(random_tensor(c.x, 1), dtype), w = cast_to(random_tensor(c.w, 2), dtype);
    const Tensor bias = cast_to(random_tensor({6}, 3), dtype);
    const Tensor y = run_op(conv_transpose(c), {x, w, bias})[0];
    EXPECT_EQ(y.dtype(), dtype);
    expect_close(f32(y), conv_transpose_reference(c, f32(x), f32(w), f32(bias)), tolerance, tolerance);
  }
}

TEST(ConvTransposeOp, RejectsWhatDoesNotFit) {
  const Tensor x = random_tensor({1, 4, 5, 5});
  const OpCase op{"ConvTranspose", 11};
  expect_error(ErrorKind::kShape, "channels of X", [&] { run_op(op, {x, random_tensor({3, 2, 3, 3})}); });
  OpCase pads{"ConvTranspose", 11, {{"pads", Ints{9, 0, 9, 0}}}};
  expect_error(ErrorKind::kShape, "exceed", [&] { run_op(pads, {x, random_tensor({4, 2, 3, 3})}); });
  OpCase lists{"ConvTranspose", 11, {{"output_shape", Ints{9}}}};
  expect_error(ErrorKind::kShape, "output_shape", [&] { run_op(lists, {x, random_tensor({4, 2, 3, 3})}); });
  OpCase strides{"ConvTranspose", 11, {{"strides", Ints{1 << 10, (1 << 10) + 1}}}};
  expect_error(ErrorKind::kLimit, "2^20", [&] { run_op(strides, {x, random_tensor({4, 2, 3, 3})}); });
}

}  // namespace
}  // namespace linnet::testing
