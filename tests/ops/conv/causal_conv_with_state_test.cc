#include <gtest/gtest.h>

#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

std::vector<Tensor> run(const std::vector<Tensor>& inputs, const std::string& activation = "none") {
  return run_op({"CausalConvWithState", 27, {{"activation", activation}}}, inputs, 2);
}

/// Every output reads the inputs before it, then the end of the state.
Tensor causal_conv_reference(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& state) {
  Tensor y(DType::kFloat32, x.shape());
  const int64_t length = x.dim(2), channels = x.dim(1), k = w.dim(2);
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t t = i % length, row = i / length, c = row % channels;
    double sum = bias ? double(bias.data<float>()[c]) : 0;
    for (int64_t back = 0; back < k; ++back) {
      double value = 0;
      if (back <= t) value = double(x.data<float>()[i - back]);
      if (back > t && state) value = double(state.data<float>()[(row + 1) * (k - 1) - (back - t)]);
      sum += double(w.data<float>()[c * k + k - 1 - back]) * value;
    }
    y.data<float>()[i] = float(sum);
  }
  return y;
}

TEST(CausalConvWithState, LooksBack) {
  for (const int64_t k : {1, 4}) {
    for (const int64_t length : {1, 2, 9}) {
      const Tensor x = random_tensor({2, 3, length}), w = random_tensor({3, 1, k}, 1), bias = random_tensor({3}, 2);
      const Tensor state = random_tensor({2, 3, k - 1}, 3);
      const std::vector<Tensor> got = run({x, w, bias, state});
      expect_close(got[0], causal_conv_reference(x, w, bias, state), 1e-5);
      expect_close(run({x, w})[0], causal_conv_reference(x, w, {}, {}), 1e-5);
      const Tensor joined = run_op({"Concat", 13, {{"axis", int64_t{2}}}}, {state, x})[0];
      expect_close(got[1], run_op({"Slice", 13}, {joined, Tensor::of<int64_t>({length}),
                                                  Tensor::of<int64_t>({length + k - 1}), Tensor::of<int64_t>({2})})[0]);
    }
  }
}

TEST(CausalConvWithState, GoesOnWhereItStopped) {
  const Tensor x = random_tensor({1, 2, 8}), w = random_tensor({2, 1, 3}, 1);
  const auto part = [&](int64_t begin, int64_t end) {
    return run_op({"Slice", 13},
                  {x, Tensor::of<int64_t>({begin}), Tensor::of<int64_t>({end}), Tensor::of<int64_t>({2})})[0];
  };
  const std::vector<Tensor> first = run({part(0, 5), w}, "silu");
  const std::vector<Tensor> second = run({part(5, 8), w, {}, first[1]}, "swish");
  const std::vector<Tensor> whole = run({x, w}, "silu");
  expect_close(run_op({"Concat", 13, {{"axis", int64_t{2}}}}, {first[0], second[0]})[0], whole[0], 1e-6);
  expect_close(second[1], whole[1]);
}

TEST(CausalConvWithState, RoundsHalfPrecision) {
  const Tensor x = cast_to(random_tensor({2, 3, 20}), DType::kFloat16),
               w = cast_to(random_tensor({3, 1, 4}, 1), DType::kFloat16);
  const Tensor want = causal_conv_reference(cast_to(x, DType::kFloat32), cast_to(w, DType::kFloat32), {}, {});
  expect_close(run({x, w})[0], cast_to(want, DType::kFloat16), 1e-6, 0x1p-10);
}

TEST(CausalConvWithState, NamesWhatDoesNotFit) {
  const Tensor x = random_tensor({2, 3, 4}), w = random_tensor({3, 1, 4});
  expect_error(ErrorKind::kShape, "the channels of input and weight", [&] { run({x, random_tensor({4, 1, 4})}); });
  expect_error(ErrorKind::kShape, "dim 2 of past_state", [&] { run({x, w, {}, random_tensor({2, 3, 4})}); });
  expect_error(ErrorKind::kShape, "k >= 1", [&] { run({x, random_tensor({3, 1, 0})}); });
  expect_error(ErrorKind::kModel, "activation must be", [&] { run({x, w}, "relu"); });
}

}  // namespace
}  // namespace linnet::testing
