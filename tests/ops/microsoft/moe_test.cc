#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/run_expanded.h"

namespace linnet::testing::moe {
namespace {

constexpr int64_t kTokens = 5, kExperts = 4, kHidden = 6, kInner = 3, kChosen = 2;

const Tensor kX = random_tensor({kTokens, kHidden}, 1), kRouter = random_tensor({kTokens, kExperts}, 2);
const Tensor kFc2 = random_tensor({kExperts, kHidden, kInner}, 3), kFc2Bias = random_tensor({kExperts, kHidden}, 4);

using Vector = std::vector<double>;

/// Returns weights[expert] * x + bias[expert].
Vector product(const Tensor& weights, const Tensor& bias, int64_t expert, const Vector& x) {
  Vector y;
  for (int64_t row = 0; row < weights.dim(1); ++row) {
    const int64_t at = expert * weights.dim(1) + row;
    double sum = bias ? double(bias.data<float>()[at]) : 0;
    for (size_t i = 0; i < x.size(); ++i) sum += double(weights.data<float>()[size_t(at) * x.size() + i]) * x[i];
    y.push_back(sum);
  }
  return y;
}

/// hidden_of(expert, x) returns the vector that fc2 is multiplied with.
template <class HiddenOf>
Tensor mixture(bool normalizes, HiddenOf hidden_of) {
  Tensor y(DType::kFloat32, {kTokens, kHidden});
  for (int64_t t = 0; t < kTokens; ++t) {
    Vector x(kHidden), p(kExperts), sum(kHidden);
    for (size_t i = 0; i < x.size(); ++i) x[i] = double(kX.data<float>()[size_t(t * kHidden) + i]);
    for (size_t e = 0; e < p.size(); ++e) p[e] = std::exp(double(kRouter.data<float>()[size_t(t * kExperts) + e]));
    const double all = std::accumulate(p.begin(), p.end(), 0.0);
    std::vector<int64_t> order(kExperts);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return p[size_t(a)] > p[size_t(b)]; });
    double chosen = 0;
    for (int64_t i = 0; i < kChosen; ++i) chosen += p[size_t(order[size_t(i)])];
    for (int64_t i = 0; i < kChosen; ++i) {
      const int64_t e = order[size_t(i)];
      const Vector part = product(kFc2, kFc2Bias, e, hidden_of(e, x));
      for (size_t d = 0; d < sum.size(); ++d) sum[d] += p[size_t(e)] / (normalizes ? chosen : all) * part[d];
    }
    for (size_t d = 0; d < sum.size(); ++d) y.data<float>()[size_t(t * kHidden) + d] = float(sum[d]);
  }
  return y;
}

Tensor run(Attributes attributes, const Tensor& fc1, const Tensor& bias, const Tensor& fc3 = Tensor()) {
  attributes["k"] = kChosen;
  return run_expanded("MoE", attributes, {kX, kRouter, fc1, bias, kFc2, kFc2Bias, fc3})[0];
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(MoE, MixesWhatExpertsSay) {
  const Tensor fc1 = random_tensor({kExperts, kInner, kHidden}, 5), bias = random_tensor({kExperts, kInner}, 6);
  const Tensor fc3 = random_tensor({kExperts, kInner, kHidden}, 7);
  const std::map<std::string, double (*)(double)> activations{
      {"identity", [](double x) { return x; }},
      {"relu", [](double x) { return std::max(x, 0.0); }},
      {"silu", [](double x) { return x * sigmoid(x); }},
      {"gelu", [](double x) { return x * sigmoid(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)); }}};
  for (const auto& [name, f] : activations) {
    for (const bool normalizes : {false, true}) {
      for (const Tensor& gate : {Tensor(), fc3}) {
        const auto hidden_of = [&, activate = f](int64_t e, const Vector& x) {
          Vector h = product(fc1, bias, e, x);
          for (size_t i = 0; i < h.size(); ++i) h[i] = activate(h[i]) * (gate ? product(gate, Tensor(), e, x)[i] : 1);
          return h;
        };
        const Attributes attributes{{"activation_type", name}, {"normalize_routing_weights", int64_t{normalizes}}};
        expect_close(run(attributes, fc1, bias, gate), mixture(normalizes, hidden_of), 1e-4, 1e-4);
      }
    }
  }
}

TEST(MoE, GatesInEveryForm) {
  const Tensor both = random_tensor({kExperts, 2 * kInner, kHidden}, 8),
               bias = random_tensor({kExperts, 2 * kInner}, 9);
  const Tensor fc1 = random_tensor({kExperts, kInner, kHidden}, 5), fc3 = random_tensor({kExperts, kInner, kHidden}, 7);
  for (const int64_t fusion : {0, 1, 2}) {
    const auto hidden_of = [&](int64_t e, const Vector& x) {
      const Vector fused = product(both, bias, e, x), g = product(fc1, Tensor(), e, x),
                   l = product(fc3, Tensor(), e, x);
      Vector h;
      for (size_t i = 0; i < kInner; ++i) {
        const double gate = fusion == 0 ? g[i] : fusion == 1 ? fused[2 * i] : fused[i];
        const double linear = fusion == 0 ? l[i] : fusion == 1 ? fused[2 * i + 1] : fused[i + kInner];
        const double cut = std::min(gate, 0.75);
        h.push_back(cut * sigmoid(1.5 * cut) * (std::clamp(linear, -0.75, 0.75) + 0.5));
      }
      return h;
    };
    const Attributes attributes{{"activation_type", std::string("swiglu")},
                                {"swiglu_fusion", fusion},
                                {"swiglu_limit", 0.75f},
                                {"activation_alpha", 1.5f},
                                {"activation_beta", 0.5f}};
    const Tensor y = fusion == 0 ? run(attributes, fc1, Tensor(), fc3) : run(attributes, both, bias);
    expect_close(y, mixture(false, hidden_of), 1e-4, 1e-4);
  }
}

/// Tests blocks of columns, the last of which is smaller, and an expert that no token chooses.
TEST(MoE, MultipliesMatricesOfManyColumns) {
  constexpr int64_t kColumns = 70, kDepth = 300;
  const Tensor x = random_tensor({3, kDepth}, 10), w = random_tensor({3, kColumns, kDepth}, 11);
  const Tensor experts = Tensor::of<int64_t>({2, 0, 0, 0, 2, 0});
  const Tensor y = run_op({"ExpertMatMul", 1, {}, "linnet"}, {x, experts, w})[0];
  for (int64_t at = 0; at < 6 * kColumns; ++at) {
    const int64_t row = at / kColumns / 2, matrix = experts.data<int64_t>()[at / kColumns];
    double sum = 0;
    for (int64_t i = 0; i < kDepth; ++i) {
      sum += double(x.data<float>()[row * kDepth + i]) *
             double(w.data<float>()[(matrix * kColumns + at % kColumns) * kDepth + i]);
    }
    EXPECT_NEAR(y.data<float>()[at], sum, 1e-4);
  }
}

/// Constant weights are packed, rows are multiplied in strips and sums in blocks, which end within panels. The bits are
/// the same for any number of rows of an expert.
TEST(MoE, MultipliesRowsOfPackedMatrices) {
  constexpr int64_t kRows = 70, kColumns = 150, kDepth = 1100, kMatrices = 3;
  const Tensor x = random_tensor({kRows, kDepth}, 20), w = random_tensor({kMatrices, kColumns, kDepth}, 21);
  const Tensor bias = random_tensor({kMatrices, kColumns}, 22);
  Tensor experts(DType::kInt64, {2 * kRows});
  for (int64_t i = 0; i < 2 * kRows; ++i) experts.data<int64_t>()[i] = i % 5 == 0 ? 2 : 0;
  const OpCase op{"ExpertMatMul", 1, {}, "linnet"};
  for (const Isa isa : supported_isas()) {
    const Tensor y = run_op(op, {x, experts, w, bias}, 1, {2}, isa, 1)[0];
    expect_close(y, run_op(op, {x, experts, w, bias}, 1, {}, isa)[0], 1e-3, 1e-3);
    EXPECT_TRUE(identical(y, run_op(op, {x, experts, w, bias}, 1, {2}, isa, 3)[0]));
    for (const int64_t row : {0, 33, 69}) {
      Tensor one(DType::kFloat32, {1, kDepth}), chosen(DType::kInt64, {2});
      std::copy_n(x.data<float>() + row * kDepth, kDepth, one.data<float>());
      std::copy_n(experts.data<int64_t>() + 2 * row, 2, chosen.data<int64_t>());
      const Tensor alone = run_op(op, {one, chosen, w, bias}, 1, {2}, isa)[0];
      EXPECT_TRUE(
          std::equal(alone.data<float>(), alone.data<float>() + alone.size(), y.data<float>() + 2 * row * kColumns))
          << row;
    }
  }
}

TEST(MoE, RefusesWhatDoesNotFit) {
  const Tensor fc1 = random_tensor({kExperts, kInner, kHidden}, 5);
  const auto expect_refused = [&](ErrorKind kind, const std::string& text, const Attributes& attributes,
                                  const Tensor& weights) {
    expect_error(kind, text, [&] {
      run_op({"MoE", 1, attributes, "com.microsoft"}, {kX, kRouter, weights, Tensor(), kFc2});
    });
  };
  expect_refused(ErrorKind::kModel, "k must be positive", {{"k", int64_t{0}}}, fc1);
  expect_refused(ErrorKind::kModel, "activation_type", {{"activation_type", std::string("tanh")}}, fc1);
  expect_refused(ErrorKind::kModel, "swiglu_fusion", {{"swiglu_fusion", int64_t{3}}}, fc1);
  expect_refused(ErrorKind::kModel, "fc3_experts_weights", {{"activation_type", std::string("swiglu")}}, fc1);
  expect_refused(ErrorKind::kUnsupported, "use_sparse_mixer", {{"use_sparse_mixer", int64_t{1}}}, fc1);
  expect_refused(ErrorKind::kShape, "experts", {}, random_tensor({3, kInner, kHidden}));
  expect_refused(ErrorKind::kShape, "depth", {}, random_tensor({kExperts, kInner, kHidden + 1}));
  const OpCase op{"ExpertMatMul", 1, {}, "linnet"};
  expect_error(ErrorKind::kShape, "experts must be in [0,4), got 4", [&] {
    run_op(op, {kX, Tensor::of<int64_t>({0, 1, 2, 3, 4}), fc1});
  });
  expect_error(ErrorKind::kShape, "experts must be a multiple", [&] {
    run_op(op, {kX, Tensor::of<int64_t>({0, 1, 2}), fc1});
  });
}

}  // namespace
}  // namespace linnet::testing::moe
