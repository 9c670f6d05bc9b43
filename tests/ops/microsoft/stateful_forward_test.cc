#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::stateful_forward {
namespace {

constexpr int64_t kBatch = 2, kChannels = 3, kLength = 5, kTaps = 3, kDilation = 2, kState = (kTaps - 1) * kDilation;

TEST(LinearAttentionForward, AddsOuterProductsToAState) {
  const Tensor q = random_tensor({1, 4, 2}, 1), k = random_tensor({1, 4, 2}, 2), v = random_tensor({1, 4, 3}, 3);
  const Attributes attributes{{"q_num_heads", int64_t{1}},
                              {"kv_num_heads", int64_t{1}},
                              {"scale", 0.5f},
                              {"update_rule", std::string("linear")}};
  const std::vector<Tensor> y = run_expanded("LinearAttention", attributes, {q, k, v}, 2);
  double state[2][3] = {};
  for (int64_t t = 0; t < 4; ++t) {
    for (int64_t i = 0; i < 6; ++i) {
      state[i / 3][i % 3] += double(k.data<float>()[t * 2 + i / 3]) * double(v.data<float>()[t * 3 + i % 3]);
    }
    for (int64_t j = 0; j < 3; ++j) {
      const double sum =
          double(q.data<float>()[t * 2]) * state[0][j] + double(q.data<float>()[t * 2 + 1]) * state[1][j];
      EXPECT_NEAR(y[0].data<float>()[t * 3 + j], 0.5 * sum, 1e-5);
    }
  }
  for (int64_t i = 0; i < 6; ++i) EXPECT_NEAR(y[1].data<float>()[i], state[i / 3][i % 3], 1e-5);
}

TEST(LinearAttentionForward, RefusesWindowsOfStates) {
  const Attributes attributes{{"q_num_heads", int64_t{1}}, {"kv_num_heads", int64_t{1}}, {"state_window", int64_t{2}}};
  const Tensor x = random_tensor({1, 2, 2});
  expect_error(ErrorKind::kUnsupported, "state_window", [&] {
    run_op({"LinearAttention", 1, attributes, "com.microsoft"}, {x, x, x}, 2);
  });
}

Tensor swapped(const Tensor& x) { return run_op({"Transpose", 13, {{"perm", std::vector<int64_t>{0, 2, 1}}}}, {x})[0]; }

TEST(CausalConvForward, SpreadsItsTapsOverStateAndInput) {
  const Tensor x = random_tensor({kBatch, kChannels, kLength}, 1), w = random_tensor({kChannels, 1, kTaps}, 2);
  const Tensor bias = random_tensor({kChannels}, 3), past = random_tensor({kBatch, kChannels, kState}, 4);
  const Tensor all = run_op({"Concat", 13, {{"axis", int64_t{2}}}}, {past, x})[0];
  Tensor want(DType::kFloat32, x.shape()), state(DType::kFloat32, past.shape());
  for (int64_t row = 0; row < kBatch * kChannels; ++row) {
    const float* from = all.data<float>() + row * (kState + kLength);
    std::copy_n(from + kLength, kState, state.data<float>() + row * kState);
    for (int64_t t = 0; t < kLength; ++t) {
      double sum = double(bias.data<float>()[row % kChannels]);
      for (int64_t j = 0; j < kTaps; ++j) {
        sum += double(w.data<float>()[row % kChannels * kTaps + j]) * double(from[t + j * kDilation]);
      }
      want.data<float>()[row * kLength + t] = float(sum);
    }
  }
  Attributes attributes{{"dilation", kDilation}};
  const auto y = run_expanded("CausalConvWithState", attributes, {x, w, bias, past}, 2);
  expect_close(y[0], want, 1e-5);
  expect_close(y[1], state);
  attributes["channels_last"] = int64_t{1};
  const auto last = run_expanded("CausalConvWithState", attributes, {swapped(x), w, bias, swapped(past)}, 2);
  expect_close(last[0], swapped(want), 1e-5);
  expect_close(last[1], swapped(state));
}

TEST(CausalConvForward, RefusesWhatItDoesNotHave) {
  const auto expect_refused = [](ErrorKind kind, const char* name, int64_t value) {
    expect_error(kind, name, [&] {
      run_op({"CausalConvWithState", 1, {{name, value}}, "com.microsoft"},
             {random_tensor({1, 2, 3}), random_tensor({2, 1, 2})}, 2);
    });
  };
  expect_refused(ErrorKind::kModel, "dilation", 0);
  expect_refused(ErrorKind::kUnsupported, "ndim", 2);
  expect_refused(ErrorKind::kUnsupported, "state_window", 1);
  expect_refused(ErrorKind::kUnsupported, "input_channels", 1);
}

}  // namespace
}  // namespace linnet::testing::stateful_forward
