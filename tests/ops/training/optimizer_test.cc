#include <gtest/gtest.h>

#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

const char* const kDomain = "ai.onnx.preview.training";

// The steps are chosen so that they can be computed by hand.
TEST(Adagrad, DividesByTheRootOfTheSquares) {
  const OpCase op{"Adagrad", 1, {{"decay_factor", 1.0f}, {"norm_coefficient", 0.5f}, {"epsilon", 1.0f}}, kDomain};
  const Tensor rate = Tensor::scalar(8.0f), count = Tensor::scalar(int64_t{1});
  const Tensor x = Tensor::of<float>({2, -2}), g = Tensor::of<float>({2, -3}), h = Tensor::of<float>({0, 9});
  // g is 3, -4; H is 9, 25; the step is 8 / 2 * g / (3 + 1), (5 + 1).
  const auto y = run_op(op, {rate, count, x, g, h}, 2);
  expect_close(y[0], Tensor::of<float>({-1, -2 + 16.0f / 6}), 1e-6);
  expect_close(y[1], Tensor::of<float>({9, 25}));
}

TEST(Momentum, KeepsBothTensorsApart) {
  const Attributes common{{"alpha", 0.5f}, {"beta", 2.0f}, {"norm_coefficient", 0.0f}};
  for (const bool nesterov : {false, true}) {
    OpCase op{"Momentum", 1, common, kDomain};
    op.attributes["mode"] = std::string(nesterov ? "nesterov" : "standard");
    const Tensor x1 = Tensor::of<double>({1}), x2 = Tensor::of<double>({10, 20}), g1 = Tensor::of<double>({4}),
                 g2 = Tensor::of<double>({1, 2}), v1 = Tensor::of<double>({8}), v2 = Tensor::of<double>({0, 2});
    // V = V / 2 + beta g, with beta 1 for T = 0.
    for (const int64_t count : {0, 3}) {
      const double beta = count > 0 ? 2 : 1;
      const auto y = run_op(op, {Tensor::scalar(0.1), Tensor::scalar(count), x1, x2, g1, g2, v1, v2}, 4);
      const std::vector<double> v{4 + beta * 4, beta, 1 + beta * 2}, x{1, 10, 20}, g{4, 1, 2};
      std::vector<double> want;
      for (size_t i = 0; i < 3; ++i) want.push_back(x[i] - 0.1 * (nesterov ? g[i] + v[i] / 2 : v[i]));
      expect_close(y[0], Tensor::of<double>({want[0]}), 1e-7);
      expect_close(y[1], Tensor::of<double>({want[1], want[2]}), 1e-7);
      expect_close(y[2], Tensor::of<double>({v[0]}));
      expect_close(y[3], Tensor::of<double>({v[1], v[2]}));
    }
  }
}

TEST(Adam, CorrectsTheBiasOfTheAverages) {
  const OpCase op{"Adam", 1, {{"alpha", 0.5f}, {"beta", 0.75f}, {"norm_coefficient_post", 0.5f}}, kDomain};
  const Tensor x = Tensor::of<float>({1}), g = Tensor::of<float>({2}), v = Tensor::of<float>({4}),
               h = Tensor::of<float>({12});
  // V = 3, H = 10.
  for (const int64_t count : {0, 2}) {
    const double rate = count == 0 ? 0.1 : 0.1 * std::sqrt(1 - 0.5625) / (1 - 0.25);
    const auto y = run_op(op, {Tensor::scalar(0.1f), Tensor::scalar(count), x, g, v, h}, 3);
    expect_close(y[0], Tensor::of<float>({float(0.5 * (1 - rate * 3 / std::sqrt(10.0)))}), 1e-6);
    expect_close(y[1], Tensor::of<float>({3}));
    expect_close(y[2], Tensor::of<float>({10}));
  }
}

TEST(Optimizers, CheckTheirInputs) {
  const OpCase op{"Adagrad", 1, {}, kDomain};
  const Tensor rate = Tensor::scalar(1.0f), count = Tensor::scalar(int64_t{0}), x = random_tensor({2});
  expect_error(ErrorKind::kModel, "inputs", [&] { run_op(op, {rate, count, x, x}, 2); });
  expect_error(ErrorKind::kShape, "gradient", [&] { run_op(op, {rate, count, x, random_tensor({3}), x}, 2); });
  expect_error(ErrorKind::kType, "T must", [&] { run_op(op, {rate, rate, x, x, x}, 2); });
  expect_error(ErrorKind::kModel, "mode", [&] {
    run_op({"Momentum",
            1,
            {{"alpha", 1.f}, {"beta", 1.f}, {"norm_coefficient", 0.f}, {"mode", std::string("x")}},
            kDomain},
           {rate, count, x, x, x}, 2);
  });
}

}  // namespace
}  // namespace linnet::testing
