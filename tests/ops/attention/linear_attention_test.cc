#include <gtest/gtest.h>

#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kBatch = 2, kLength = 6, kQHeads = 4, kHeads = 2, kK = 5, kV = 70;

struct Inputs {
  Tensor q, k, v, state, decay, beta;
};

Inputs random_inputs(int64_t decay_width, int64_t beta_width) {
  return {random_tensor({kBatch, kLength, kQHeads * kK}, 1),
          random_uniform({kBatch, kLength, kHeads * kK}, -0.4f, 0.4f, 2),
          random_tensor({kBatch, kLength, kHeads * kV}, 3),
          random_tensor({kBatch, kHeads, kK, kV}, 4),
          random_uniform({kBatch, kLength, decay_width}, -1, 0, 5),
          random_uniform({kBatch, kLength, beta_width}, 0, 1, 6)};
}

double at(const Tensor& x, int64_t i) { return double(x.data<float>()[i]); }

/// Computes one column of the state at a time, in double.
std::vector<Tensor> linear_attention_reference(const Inputs& in, bool gated, bool delta, double scale) {
  Tensor y(DType::kFloat32, {kBatch, kLength, kQHeads * kV}), last(DType::kFloat32, {kBatch, kHeads, kK, kV});
  for (int64_t column = 0; column < kBatch * kHeads * kV; ++column) {
    const int64_t m = column % kV, h = column / kV % kHeads, b = column / kV / kHeads;
    std::vector<double> s;
    for (int64_t d = 0; d < kK; ++d) s.push_back(in.state ? at(in.state, ((b * kHeads + h) * kK + d) * kV + m) : 0);
    for (int64_t t = b * kLength; t < (b + 1) * kLength; ++t) {
      const auto key = [&](int64_t d) { return at(in.k, (t * kHeads + h) * kK + d); };
      double recalled = 0, value = at(in.v, (t * kHeads + h) * kV + m);
      const int64_t decays = in.decay.dim(2) / kHeads, betas = in.beta.dim(2);
      for (int64_t d = 0; d < kK; ++d) {
        if (gated) s[size_t(d)] *= std::exp(at(in.decay, (t * kHeads + h) * decays + (decays == 1 ? 0 : d)));
        recalled += s[size_t(d)] * key(d);
      }
      if (delta) value = at(in.beta, t * betas + (betas == 1 ? 0 : h)) * (value - recalled);
      for (int64_t d = 0; d < kK; ++d) s[size_t(d)] += key(d) * value;
      for (int64_t g = 2 * h; g < 2 * h + 2; ++g) {
        double sum = 0;
        for (int64_t d = 0; d < kK; ++d) sum += at(in.q, (t * kQHeads + g) * kK + d) * s[size_t(d)];
        y.data<float>()[(t * kQHeads + g) * kV + m] = float(scale * sum);
      }
    }
    for (int64_t d = 0; d < kK; ++d) last.data<float>()[((b * kHeads + h) * kK + d) * kV + m] = float(s[size_t(d)]);
  }
  return {y, last};
}

std::vector<Tensor> run(const std::string& rule, const Inputs& in, Attributes attributes = {}) {
  attributes["update_rule"] = rule;
  attributes["q_num_heads"] = kQHeads;
  attributes["kv_num_heads"] = kHeads;
  const bool gated = rule.starts_with("gated"), delta = rule.ends_with("delta");
  return run_op({"LinearAttention", 27, attributes},
                {in.q, in.k, in.v, in.state, gated ? in.decay : Tensor(), delta ? in.beta : Tensor()}, 2);
}

TEST(LinearAttention, FollowsTheRecurrence) {
  for (const int64_t decay_width : {kHeads, kHeads * kK}) {
    for (const int64_t beta_width : {int64_t{1}, kHeads}) {
      const Inputs in = random_inputs(decay_width, beta_width);
      for (const std::string rule : {"linear", "gated", "delta", "gated_delta"}) {
        const auto want = linear_attention_reference(in, rule.starts_with("gated"), rule.ends_with("delta"),
                                                     1 / std::sqrt(double(kK)));
        const auto got = run(rule, in);
        expect_close(got[0], want[0], 1e-4);
        expect_close(got[1], want[1], 1e-4);
      }
    }
  }
}

TEST(LinearAttention, BeginsAtZeroAndScalesAsTold) {
  Inputs in = random_inputs(kHeads, 1);
  in.state = {};
  const auto want = linear_attention_reference(in, true, true, 0.3);
  const auto got = run("gated_delta", in, {{"scale", 0.3f}});
  expect_close(got[0], want[0], 1e-4);
  expect_close(got[1], want[1], 1e-4);
}

TEST(LinearAttention, KeepsTheStateInItsOwnDtype) {
  Inputs in = random_inputs(kHeads, 1);
  for (Tensor* tensor : {&in.q, &in.k, &in.v, &in.decay, &in.beta}) {
    *tensor = cast_to(cast_to(*tensor, DType::kFloat16), DType::kFloat32);
  }
  const auto want = linear_attention_reference(in, true, true, 1 / std::sqrt(double(kK)));
  for (Tensor* tensor : {&in.q, &in.k, &in.v, &in.decay, &in.beta}) *tensor = cast_to(*tensor, DType::kFloat16);
  const auto got = run("gated_delta", in);
  expect_close(got[0], cast_to(want[0], DType::kFloat16), 1e-4, 0x1p-10);
  expect_close(got[1], want[1], 1e-4);
}

TEST(LinearAttention, NamesWhatDoesNotFit) {
  Inputs in = random_inputs(kHeads + 1, 1);
  expect_error(ErrorKind::kShape, "the last dim of decay must be 2 or 10", [&] { run("gated_delta", in); });
  expect_error(ErrorKind::kModel, "update_rule must be", [&] { run("quadratic", in); });
  in.decay = {};
  expect_error(ErrorKind::kModel, "decay must be given", [&] { run("gated_delta", in); });
  in.state = random_tensor({kBatch, kHeads, kK, kV + 1});
  expect_error(ErrorKind::kShape, "dim 3 of past_state", [&] { run("delta", in); });
}

}  // namespace
}  // namespace linnet::testing
