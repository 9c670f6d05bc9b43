#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct Parameters {
  Tensor scale, bias, mean, variance;
  explicit Parameters(int64_t channels)
      : scale(random_tensor({channels}, 1)),
        bias(random_tensor({channels}, 2)),
        mean(random_tensor({channels}, 3)),
        variance(random_uniform({channels}, 0.1f, 2, 4)) {}
  std::vector<Tensor> with(const Tensor& x) const { return {x, scale, bias, mean, variance}; }
};

/// channel_of: returns the channel of each element.
template <class F>
Tensor batch_normalization_reference(const Tensor& x, const Parameters& p, F channel_of, double epsilon = 1e-5) {
  Tensor y(DType::kFloat32, x.shape());
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t c = channel_of(i);
    const auto at = [c](const Tensor& t) { return double(t.data<float>()[c]); };
    y.data<float>()[i] = float(
        (double(x.data<float>()[i]) - at(p.mean)) / std::sqrt(at(p.variance) + epsilon) * at(p.scale) + at(p.bias));
  }
  return y;
}

TEST(BatchNormalization, NormalisesChannelsOfAnyRank) {
  const Parameters p(5);
  for (const Shape& shape : {Shape{2, 5}, Shape{3, 5, 7}, Shape{2, 5, 4, 9}, Shape{1, 5, 2, 3, 3}, Shape{2, 5, 1, 1}}) {
    const Tensor x = random_tensor(shape);
    const int64_t spatial = shape.elements(2, shape.rank());
    const Tensor want = batch_normalization_reference(x, p, [spatial](int64_t i) { return i / spatial % 5; });
    for (const Isa isa : supported_isas()) {
      expect_close(run_op({"BatchNormalization", 15}, p.with(x), 1, {1, 2, 3, 4}, isa)[0], want, 1e-5);
    }
    expect_close(run_op({"BatchNormalization", 9}, p.with(x))[0], want, 1e-5);
  }
}

TEST(BatchNormalization, ParametersMayHaveAnotherDtype) {
  const Parameters p(4);
  const Tensor x = random_tensor({2, 4, 6});
  const Tensor want = batch_normalization_reference(x, p, [](int64_t i) { return i / 6 % 4; });
  expect_close(run_op({"BatchNormalization", 15}, p.with(cast_to(x, DType::kFloat16)))[0],
               cast_to(want, DType::kFloat16), 1e-2, 1e-2);
  expect_close(run_op({"BatchNormalization", 15}, p.with(cast_to(x, DType::kFloat64)))[0],
               cast_to(want, DType::kFloat64), 1e-6);
}

TEST(BatchNormalization, WithoutSpatialEveryElementIsAChannel) {
  Parameters p(12);
  const Tensor x = random_tensor({3, 4, 3});
  expect_close(run_op({"BatchNormalization", 7, {{"spatial", int64_t{0}}}}, p.with(x))[0],
               batch_normalization_reference(x, p, [](int64_t i) { return i % 12; }), 1e-5);
}

TEST(BatchNormalization, TrainingUsesAndUpdatesTheStatistics) {
  Parameters p(3);
  const Parameters before = p;
  const Tensor x = random_tensor({4, 3, 10});
  const OpCase op{"BatchNormalization", 15, {{"training_mode", int64_t{1}}, {"momentum", 0.75f}}};
  const auto got = run_op(op, p.with(x), 3);
  Tensor mean(DType::kFloat32, {3}), variance(DType::kFloat32, {3});
  for (int64_t c = 0; c < 3; ++c) {
    double sum = 0, square = 0;
    for (int64_t i = 0; i < 40; ++i) {
      const double v = double(x.data<float>()[(i / 10 * 3 + c) * 10 + i % 10]);
      sum += v, square += v * v;
    }
    const double m = sum / 40, v = square / 40 - m * m;
    mean.data<float>()[c] = float(0.75 * double(before.mean.data<float>()[c]) + 0.25 * m);
    variance.data<float>()[c] = float(0.75 * double(before.variance.data<float>()[c]) + 0.25 * v);
    p.mean.data<float>()[c] = float(m), p.variance.data<float>()[c] = float(v);
  }
  expect_close(got[0], batch_normalization_reference(x, p, [](int64_t i) { return i / 10 % 3; }), 1e-4);
  expect_close(got[1], mean, 1e-5);
  expect_close(got[2], variance, 1e-5);
  for (const int64_t opset : {1, 6, 7, 9}) {
    const auto old = run_op({"BatchNormalization", opset, {{"momentum", 0.75f}}}, Parameters(3).with(x), 5);
    for (size_t i = 0; i < 3; ++i) expect_close(old[i], got[i]);
    expect_close(old[3], p.mean, 1e-5);
    expect_close(old[4], p.variance, 1e-5);
  }
}

/// Rows are added in blocks, channels in parts that depend on the number of threads.
TEST(BatchNormalization, TrainingOnRowsWithoutPixels) {
  const int64_t rows = 130, channels = 700;
  const Tensor x = random_tensor({rows, channels}, 9);
  Parameters p(channels);
  const OpCase op{"BatchNormalization", 15, {{"training_mode", int64_t{1}}, {"momentum", 0.0f}}};
  const auto got = run_op(op, p.with(x), 3, {}, Isa::kAuto, 1);
  for (int64_t c = 0; c < channels; ++c) {
    double mean = 0, variance = 0;
    for (int64_t r = 0; r < rows; ++r) mean += double(x.data<float>()[r * channels + c]) / double(rows);
    for (int64_t r = 0; r < rows; ++r) variance += std::pow(double(x.data<float>()[r * channels + c]) - mean, 2);
    p.mean.data<float>()[c] = float(mean), p.variance.data<float>()[c] = float(variance / double(rows));
  }
  expect_close(got[0], batch_normalization_reference(x, p, [](int64_t i) { return i % channels; }), 1e-5);
  expect_close(got[1], p.mean, 1e-6);
  expect_close(got[2], p.variance, 1e-6);
  const auto threads = run_op(op, p.with(x), 3, {}, Isa::kAuto, 3);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(identical(got[i], threads[i]));
}

/// Tests short and long rows: a mean much larger than the deviation must not cancel it.
TEST(BatchNormalization, TrainingKeepsTheVarianceBesideALargeMean) {
  for (const int64_t pixels : {3, 100}) {
    Tensor x = random_tensor({5, 2, pixels});
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < x.size(); ++i) x.data<float>()[i] += 1000.0f;
    const auto of_channel = [&](int64_t i) { return double(x.data<float>()[i / pixels * 2 * pixels + i % pixels]); };
    for (int64_t i = 0; i < 5 * pixels; ++i) mean += of_channel(i) / double(5 * pixels);
    for (int64_t i = 0; i < 5 * pixels; ++i) variance += std::pow(of_channel(i) - mean, 2) / double(5 * pixels);
    const OpCase op{"BatchNormalization", 15, {{"training_mode", int64_t{1}}, {"momentum", 0.0f}}};
    const auto got = run_op(op, Parameters(2).with(x), 3);
    EXPECT_NEAR(got[1].data<float>()[0], mean, 1e-3);
    EXPECT_NEAR(got[2].data<float>()[0], variance, 1e-4 * variance);
  }
}

TEST(BatchNormalization, TrainingOnNoPixelsGivesNoNumbers) {
  const Tensor x = random_tensor({int64_t{1} << 60, 3, 0});
  const OpCase op{"BatchNormalization", 15, {{"training_mode", int64_t{1}}}};
  const auto got = run_op(op, Parameters(3).with(x), 3);
  EXPECT_EQ(got[0].shape(), x.shape());
  for (int64_t c = 0; c < 3; ++c) EXPECT_TRUE(std::isnan(got[1].data<float>()[c]));
}

TEST(BatchNormalization, TheInternalFormTakesChannelsLastAndAnActivation) {
  const Parameters p(19);
  const Tensor x = random_tensor({2, 3, 5, 19});
  Tensor want = batch_normalization_reference(x, p, [](int64_t i) { return i % 19; });
  for (int64_t i = 0; i < want.size(); ++i) want.data<float>()[i] = std::fmax(want.data<float>()[i], 0.0f);
  const OpCase op{"BatchNormalization", 1, {{"activation", std::string("Relu")}}, "linnet"};
  expect_close(run_op(op, p.with(x))[0], want, 1e-5);
}

TEST(BatchNormalization, RefusesWhatItDoesNotCompute) {
  const Parameters p(3);
  const Tensor x = random_tensor({2, 3, 4});
  expect_error(ErrorKind::kShape, "channels", [&] {
    run_op({"BatchNormalization", 15}, p.with(random_tensor({2, 4, 3})));
  });
  expect_error(ErrorKind::kModel, "training mode", [&] {
    run_op({"BatchNormalization", 6, {{"is_test", int64_t{1}}}}, p.with(x), 5);
  });
  expect_error(ErrorKind::kModel, "training mode", [&] { run_op({"BatchNormalization", 15}, p.with(x), 3); });
}

}  // namespace
}  // namespace linnet::testing
