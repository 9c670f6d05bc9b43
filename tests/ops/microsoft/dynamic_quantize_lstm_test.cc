#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing {
namespace {

constexpr int64_t kInput = 3, kHidden = 2, kColumns = 4 * kHidden;

/// [directions, columns, rows] of the values that the bytes stand for.
Tensor dequantized(const Tensor& w, const Tensor& scale, const Tensor& zero) {
  const int64_t rows = w.dim(1);
  Tensor y(DType::kFloat32, {w.dim(0), kColumns, rows});
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t d = i / (kColumns * rows), column = i / rows % kColumns, row = i % rows;
    const int64_t at = scale.rank() == 1 ? d : d * kColumns + column;
    const int byte = w.data<int8_t>()[(d * rows + row) * kColumns + column];
    y.data<float>()[i] = float(byte - zero.data<int8_t>()[at]) * scale.data<float>()[at];
  }
  return y;
}

TEST(DynamicQuantizeLstm, IsAnLstmOfDequantizedWeights) {
  for (const Shape& shape : {Shape{2}, Shape{2, kColumns}}) {
    const Tensor x = random_tensor({5, 1, kInput}), bias = random_tensor({2, 2 * kColumns});
    const Tensor w = scattered<int8_t>({2, kInput, kColumns}), r = scattered<int8_t>({2, kHidden, kColumns}, 59);
    const Tensor scale = random_uniform(shape, 0.001f, 0.02f), zero = scattered<int8_t>(shape, 3);
    const Attributes attributes{{"hidden_size", kHidden}, {"direction", std::string("bidirectional")}};
    const std::vector<Tensor> inputs{x, w, r, bias, Tensor(), Tensor(), Tensor(), Tensor(), scale, zero, scale, zero};
    const auto got = run_expanded("DynamicQuantizeLSTM", attributes, inputs, 3);
    const auto want =
        run_op({"LSTM", 14, attributes}, {x, dequantized(w, scale, zero), dequantized(r, scale, zero), bias}, 3);
    for (size_t i = 0; i < 3; ++i) expect_close(got[i], want[i], 1e-5, 1e-5);
  }
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
}  // namespace linnet::testing
