#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::dynamic_quantize_lstm {
namespace {

constexpr int64_t kInput = 3, kHidden = 2, kColumns = 4 * kHidden;

/// Returns the values of the bytes as [directions, columns, rows].
template <class T>
Tensor dequantized(const Tensor& w, const Tensor& scale, const Tensor& zero) {
  const int64_t rows = w.dim(1);
  Tensor y(DType::kFloat32, {w.dim(0), kColumns, rows});
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t d = i / (kColumns * rows), column = i / rows % kColumns, row = i % rows;
    const int64_t at = scale.rank() == 1 ? d : d * kColumns + column;
    const int byte = w.data<T>()[(d * rows + row) * kColumns + column];
    y.data<float>()[i] = float(byte - zero.data<T>()[at]) * scale.data<float>()[at];
  }
  return y;
}

/// Returns the values as DynamicQuantizeLinear rounds them.
Tensor rounded(const Tensor& x) {
  const std::vector<Tensor> y = run_op({"DynamicQuantizeLinear"}, {x}, 3);
  return run_op({"DequantizeLinear"}, {y[0], y[1], y[2]})[0];
}

/// Runs an LSTM one step at a time, each with the hidden state rounded.
std::vector<Tensor> by_steps(const Attributes& attributes, std::vector<Tensor> inputs) {
  const Tensor x = rounded(inputs[0]);
  const int64_t row = x.size() / x.dim(0);
  std::vector<Tensor> step;
  for (int64_t i = 0; i < x.dim(0); ++i) {
    inputs[0] = Tensor(DType::kFloat32, {1, x.dim(1), x.dim(2)});
    std::copy_n(x.data<float>() + i * row, row, inputs[0].data<float>());
    step = run_op({"LSTM", 14, attributes}, inputs, 3);
    inputs[5] = rounded(step[1]);
    inputs[6] = step[2];
  }
  return step;
}

template <class T>
void expect_steps_of_rounded_values(const Shape& parameters, bool constant, Isa isa) {
  const int64_t batch = 2, depth = 7;
  const Tensor x = random_tensor({5, batch, depth}), bias = random_tensor({1, 2 * kColumns});
  const Tensor peepholes = random_tensor({1, 3 * kHidden});
  const Tensor w = scattered<T>({1, depth, kColumns}), r = scattered<T>({1, kHidden, kColumns}, 59);
  const Tensor scale = random_uniform(parameters, 0.001f, 0.02f), zero = scattered<T>(parameters, 3);
  const Attributes attributes{{"hidden_size", kHidden}};
  const OpCase op{"DynamicQuantizeLSTM", 1, attributes, "com.microsoft"};
  const Tensor none;
  const auto got = run_op(op, {x, w, r, bias, none, none, none, peepholes, scale, zero, scale, zero}, 3,
                          constant ? std::vector<int>{1, 2, 8, 9, 10, 11} : std::vector<int>{}, isa);
  const auto want = by_steps(attributes, {x, dequantized<T>(w, scale, zero), dequantized<T>(r, scale, zero), bias, none,
                                          none, none, peepholes});
  for (size_t i = 1; i < 3; ++i) expect_close(got[i], want[i], 1e-5, 1e-5);
}

TEST(DynamicQuantizeLstm, RoundsTheInputAndTheStateOfEveryStep) {
  for (const Isa isa : supported_byte_isas()) {
    for (const Shape& shape : {Shape{1}, Shape{1, kColumns}}) {
      for (const bool constant : {false, true}) {
        expect_steps_of_rounded_values<int8_t>(shape, constant, isa);
        expect_steps_of_rounded_values<uint8_t>(shape, constant, isa);
      }
    }
  }
}

TEST(DynamicQuantizeLstm, BothDirectionsHaveTheirOwnWeights) {
  const Tensor x = random_tensor({1, 3, kInput}), w = scattered<int8_t>({2, kInput, kColumns});
  const Tensor r = scattered<int8_t>({2, kHidden, kColumns}), zero = Tensor::of<int8_t>({3, -7});
  const Tensor scale = Tensor::of<float>({0.01f, 0.02f}), none;
  const Attributes attributes{{"hidden_size", kHidden}, {"direction", std::string("bidirectional")}};
  const auto got = run_op({"DynamicQuantizeLSTM", 1, attributes, "com.microsoft"},
                          {x, w, r, none, none, none, none, none, scale, zero, scale, zero}, 3);
  const auto want = run_op({"LSTM", 14, attributes},
                           {rounded(x), dequantized<int8_t>(w, scale, zero), dequantized<int8_t>(r, scale, zero)}, 3);
  for (size_t i = 0; i < 3; ++i) expect_close(got[i], want[i], 1e-5, 1e-5);
}

TEST(DynamicQuantizeLstm, RefusesParametersThatDoNotFit) {
  const OpCase op{"DynamicQuantizeLSTM", 1, {{"hidden_size", kHidden}}, "com.microsoft"};
  const Tensor x = random_tensor({1, 1, kInput}), one = Tensor::of<float>({1}), zero = Tensor::of<int8_t>({0});
  std::vector<Tensor> inputs{x, scattered<int8_t>({1, kInput, kColumns}), scattered<int8_t>({1, kHidden, kColumns})};
  inputs.resize(8);
  inputs.insert(inputs.end(), {one, zero, one, zero});
  std::vector<Tensor> other = inputs;
  other[8] = Tensor::of<float>({1, 2});
  expect_error(ErrorKind::kShape, "W_scale", [&] { run_op(op, other); });
  other[8] = Tensor::of<float>({0});
  expect_error(ErrorKind::kModel, "W_scale", [&] { run_op(op, other, 1, {8}); });
  other = inputs;
  other[11] = Tensor::of<uint8_t>({0});
  expect_error(ErrorKind::kType, "R_zero_point", [&] { run_op(op, other); });
  other[11] = Tensor();
  expect_error(ErrorKind::kModel, "R_zero_point", [&] { run_op(op, other); });
}

}  // namespace
}  // namespace linnet::testing::dynamic_quantize_lstm
