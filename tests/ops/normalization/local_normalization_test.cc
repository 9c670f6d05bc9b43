#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

Tensor lrn_reference(const Tensor& x, int64_t size, double alpha, double beta, double bias) {
  Tensor y(DType::kFloat32, x.shape());
  const int64_t channels = x.dim(1), spatial = x.size() / x.dim(0) / channels;
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t channel = i / spatial % channels;
    double sum = 0;
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t distance = c - channel;
      const bool inside = distance >= -((size - 1) / 2) && distance <= size / 2;
      if (inside) sum += std::pow(double(x.data<float>()[i + distance * spatial]), 2);
    }
    y.data<float>()[i] = float(double(x.data<float>()[i]) / std::pow(bias + alpha / double(size) * sum, beta));
  }
  return y;
}

TEST(LRN, NormalisesAcrossChannels) {
  const Tensor x = random_tensor({2, 7, 40, 31});
  for (const int64_t size : {1, 3, 4, 5, 9}) {
    const OpCase op{"LRN", 13, {{"size", size}, {"alpha", 0.5f}, {"beta", 0.6f}, {"bias", 2.0f}}};
    const Tensor want = lrn_reference(x, size, 0.5, double(0.6f), 2);
    expect_close(run_op(op, {x})[0], want, 0, 2e-6);
    expect_close(run_op(op, {cast_to(x, DType::kFloat64)})[0], cast_to(want, DType::kFloat64), 0, 1e-6);
  }
}

TEST(LRN, DividesAlphaInDoubleForDoubles) {
  const Tensor x = Tensor::of(Shape{1, 1, 1}, std::vector<double>{1});
  const OpCase op{"LRN", 13, {{"size", int64_t{3}}, {"alpha", 1.0f}, {"beta", 1.0f}, {"bias", 0.0f}}};
  expect_close(run_op(op, {x})[0], Tensor::of(Shape{1, 1, 1}, std::vector<double>{3}), 1e-15);
}

TEST(LRN, NeedsAPositiveSize) {
  expect_error(ErrorKind::kModel, "size", [] {
    run_op({"LRN", 13, {{"size", int64_t{0}}}}, {random_tensor({1, 2, 3})});
  });
}

TEST(LpNormalization, DividesByTheNorm) {
  const Tensor x = Tensor::of<float>({2, 2}, {3, -4, 0, 0});
  expect_close(run_op({"LpNormalization", 22}, {x})[0], Tensor::of<float>({2, 2}, {0.6f, -0.8f, 0, 0}), 1e-7);
  expect_close(run_op({"LpNormalization", 1, {{"p", int64_t{1}}, {"axis", int64_t{0}}}}, {x})[0],
               Tensor::of<float>({2, 2}, {1, -1, 0, 0}), 1e-7);
}

TEST(MeanVarianceNormalization, MovesAndScalesEveryElementOfAChannelByItsMoments) {
  const Tensor x = random_uniform({2, 3, 4, 5}, 2, 5);
  Tensor want(DType::kFloat32, x.shape());
  const auto place = [](int64_t c, int64_t i) { return (i / 20 * 3 + c) * 20 + i % 20; };
  for (int64_t c = 0; c < 3; ++c) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < 40; ++i) mean += double(x.data<float>()[place(c, i)]) / 40;
    for (int64_t i = 0; i < 40; ++i) variance += std::pow(double(x.data<float>()[place(c, i)]) - mean, 2) / 40;
    for (int64_t i = 0; i < 40; ++i) {
      want.data<float>()[place(c, i)] = float((double(x.data<float>()[place(c, i)]) - mean) / std::sqrt(variance));
    }
  }
  expect_close(run_op({"MeanVarianceNormalization", 13}, {x})[0], want, 1e-6);
}

TEST(MeanVarianceNormalization, EqualElementsBecomeZeros) {
  for (const int64_t width : {3, 29, 61, 97, 1001}) {
    Tensor x(DType::kFloat32, {3, 2, 5, width});
    std::fill_n(x.data<float>(), x.size(), 0.1f);
    const Tensor zeros = Tensor::of(x.shape(), std::vector<float>(size_t(x.size()), 0));
    expect_close(run_op({"MeanVarianceNormalization", 13}, {x})[0], zeros);
  }
}

TEST(MeanVarianceNormalization, TakesOtherAxes) {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 5, 6, 7});
  const float end = std::sqrt(1.5f);
  expect_close(run_op({"MeanVarianceNormalization", 9, {{"axes", std::vector<int64_t>{-1}}}}, {x})[0],
               Tensor::of<float>({2, 3}, {-end, 0, end, -end, 0, end}), 1e-6);
}

TEST(LpNormalization, AgreesWithDoublePrecision) {
  for (const Shape& shape : {Shape{5, 700, 1}, Shape{2, 9, 3}, Shape{2, 40, 600}, Shape{1, 1, 70}}) {
    for (const float scale : {1.0f, 1e-25f, 1e25f}) {
      for (const int64_t p : {1, 2}) {
        const Tensor x = random_uniform(shape, -scale, scale, 5);
        Tensor want(DType::kFloat32, shape);
        const int64_t n = shape[1], inner = shape[2];
        for (int64_t line = 0; line < shape[0] * inner; ++line) {
          const int64_t first = line / inner * n * inner + line % inner;
          double sum = 0;
          for (int64_t i = 0; i < n; ++i)
            sum += std::pow(std::abs(double(x.data<float>()[first + i * inner])), double(p));
          for (int64_t i = first; i < first + n * inner; i += inner) {
            want.data<float>()[i] = float(double(x.data<float>()[i]) / std::pow(sum, 1.0 / double(p)));
          }
        }
        const OpCase op{"LpNormalization", 22, {{"axis", int64_t{1}}, {"p", p}}};
        for (const Isa isa : supported_isas()) expect_close(run_op(op, {x}, 1, {}, isa)[0], want, 0, 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace linnet::testing
