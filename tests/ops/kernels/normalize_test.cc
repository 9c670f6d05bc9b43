#include "kernels/normalize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct Statistics {
  double mean = 0, variance = 0, mean_square = 0;
};

Statistics statistics_reference(const Tensor& x) {
  Statistics s;
  const double n = double(x.size());
  for (const float v : x.values<float>()) s.mean += double(v) / n, s.mean_square += double(v) * double(v) / n;
  for (const float v : x.values<float>()) s.variance += (double(v) - s.mean) * (double(v) - s.mean) / n;
  return s;
}

TEST(NormalizeKernels, MomentsMatchDoublePrecision) {
  for (const Isa isa : supported_isas()) {
    const NormalizeKernels& kernels = kernels_for<NormalizeKernels>(isa);
    for (const int64_t n : {1, 2, 15, 16, 17, 63, 64, 100, 1024, 4097, 100000}) {
      const Tensor x = random_uniform({n}, 99, 101, unsigned(n));
      const Statistics want = statistics_reference(x);
      const auto [mean, variance] = kernels.moments(x.data<float>(), n);
      EXPECT_NEAR(double(mean), want.mean, 2e-5) << n;
      EXPECT_NEAR(double(variance), want.variance, 1e-5 * want.variance + 1e-9) << n;
      EXPECT_NEAR(double(kernels.mean_square(x.data<float>(), n)), want.mean_square, 1e-6 * want.mean_square) << n;
    }
  }
}

TEST(NormalizeKernels, RowsAreScaledAndShifted) {
  for (const Isa isa : supported_isas()) {
    for (const int64_t n : {1, 15, 16, 33}) {
      const Tensor x = random_tensor({n}, 1), scale = random_tensor({n}, 2), bias = random_tensor({n}, 3);
      std::vector<float> y(size_t(n) + 1, 7.0f), z = y;
      const NormalizeKernels& kernels = kernels_for<NormalizeKernels>(isa);
      kernels.normalize_row(x.data<float>(), scale.data<float>(), bias.data<float>(), y.data(), n, 0.5f, 2.0f);
      kernels.normalize_row(x.data<float>(), scale.data<float>(), nullptr, z.data(), n, 0.5f, 2.0f);
      for (int64_t i = 0; i < n; ++i) {
        const double unit = (double(x.data<float>()[i]) - 0.5) * 2 * double(scale.data<float>()[i]);
        EXPECT_NEAR(double(z[size_t(i)]), unit, 1e-6 * (1 + std::abs(unit)));
        EXPECT_NEAR(double(y[size_t(i)]), unit + double(bias.data<float>()[i]), 1e-6 * (2 + std::abs(unit)));
      }
      EXPECT_EQ(y.back(), 7.0f);
      EXPECT_EQ(z.back(), 7.0f);
    }
  }
}

TEST(NormalizeKernels, ChannelsFirstAndLastAgree) {
  const int64_t channels = 21, spatial = 19;
  const Tensor x = random_tensor({channels, spatial}, 1);
  const Tensor mean = random_tensor({channels}, 2), factor = random_tensor({channels}, 3),
               bias = random_tensor({channels}, 4);
  for (const Isa isa : supported_isas()) {
    const NormalizeKernels& kernels = kernels_for<NormalizeKernels>(isa);
    std::vector<float> first(size_t(channels * spatial)), last(first.size()), turned(first.size());
    for (int64_t c = 0; c < channels; ++c) {
      kernels.normalize_channel(x.data<float>() + c * spatial, &first[size_t(c * spatial)], spatial,
                                mean.data<float>()[c], factor.data<float>()[c], bias.data<float>()[c]);
      for (int64_t i = 0; i < spatial; ++i) turned[size_t(i * channels + c)] = x.data<float>()[c * spatial + i];
    }
    kernels.normalize_channels_last(turned.data(), last.data(), spatial, channels, mean.data<float>(),
                                    factor.data<float>(), bias.data<float>());
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t i = 0; i < spatial; ++i) {
        const double want = (double(x.data<float>()[c * spatial + i]) - double(mean.data<float>()[c])) *
                                double(factor.data<float>()[c]) +
                            double(bias.data<float>()[c]);
        EXPECT_EQ(first[size_t(c * spatial + i)], last[size_t(i * channels + c)]);
        EXPECT_NEAR(double(first[size_t(c * spatial + i)]), want, 1e-5);
      }
    }
  }
}

/// Vectors of a long row are stored at aligned addresses.
template <class T, class F>
void expect_same_at_any_address(const F& normalize) {
  const int64_t n = 300;
  const Tensor random = random_tensor({n + 16}, 1);
  const std::vector<T> x(random.data<float>(), random.data<float>() + random.size());
  for (size_t offset = 0; offset < 16; ++offset) {
    std::vector<T> y(x.size() + 1, T(7));
    normalize(x.data(), y.data() + offset, n);
    for (size_t i = 0; i < y.size(); ++i) {
      const bool inside = i >= offset && i < offset + size_t(n);
      const double want = inside ? (double(x[i - offset]) - 0.25) * 3 + 0.5 : 7;
      ASSERT_NEAR(double(y[i]), want, 1e-5) << offset << " " << i;
    }
  }
}

TEST(NormalizeKernels, ChannelsBeginAtAnyAddress) {
  for (const Isa isa : supported_isas()) {
    const NormalizeKernels& kernels = kernels_for<NormalizeKernels>(isa);
    expect_same_at_any_address<float>(
        [&](const float* x, float* y, int64_t n) { kernels.normalize_channel(x, y, n, 0.25f, 3.0f, 0.5f); });
    expect_same_at_any_address<double>(
        [&](const double* x, double* y, int64_t n) { kernels.doubles.normalize_channel(x, y, n, 0.25, 3.0, 0.5); });
  }
}

/// Blocks of rows are joined. The first row is far from the others, as an infinity in another column is.
template <class T>
void expect_column_moments(const ColumnMoments<T>& kernels) {
  const int64_t columns = 37, pitch = 40;
  for (const int64_t rows : {1, 3, 64, 150}) {
    const Tensor random = random_uniform({rows, pitch}, 999, 1001, unsigned(rows));
    std::vector<T> x(random.data<float>(), random.data<float>() + random.size());
    x[1] = T(1e6);
    x[2] = T(INFINITY);
    std::vector<double> means(size_t(columns) + 1, 0.0), squares = means;
    means.back() = squares.back() = 7;
    for (int64_t n = 0; n < rows; n += kernels.kBlockRows) {
      const int64_t count = std::min(kernels.kBlockRows, rows - n);
      kernels.add(x.data() + n * pitch, count, pitch, columns, n, means.data(), squares.data());
    }
    for (int64_t c = 0; c < columns; ++c) {
      double mean = 0, square = 0;
      for (int64_t r = 0; r < rows; ++r) mean += double(x[size_t(r * pitch + c)]) / double(rows);
      for (int64_t r = 0; r < rows; ++r) square += std::pow(double(x[size_t(r * pitch + c)]) - mean, 2);
      if (c == 2) {
        EXPECT_EQ(means[2], double(INFINITY));
        EXPECT_FALSE(std::isfinite(squares[2]));
        continue;
      }
      EXPECT_NEAR(means[size_t(c)], mean, 1e-12 * mean) << rows;
      EXPECT_NEAR(squares[size_t(c)], square, 1e-9 * square) << rows;
    }
    EXPECT_EQ(means.back(), 7);
    EXPECT_EQ(squares.back(), 7);
  }
}

TEST(NormalizeKernels, ColumnMomentsMatchTwoPasses) {
  for (const Isa isa : supported_isas()) {
    expect_column_moments(kernels_for<NormalizeKernels>(isa).float_columns);
    expect_column_moments(kernels_for<NormalizeKernels>(isa).double_columns);
  }
}

TEST(NormalizeKernels, DoublesMatchTheirDefinitions) {
  for (const Isa isa : supported_isas()) {
    const DoubleNormalizeKernels& kernels = kernels_for<NormalizeKernels>(isa).doubles;
    for (const int64_t n : {1, 15, 16, 33, 1000}) {
      const auto doubles = [n](unsigned seed) { return cast_to(random_tensor({n}, seed), DType::kFloat64); };
      const Tensor x = doubles(1), scale = doubles(2), bias = doubles(3);
      const double *values = x.data<double>(), *scales = scale.data<double>(), *biases = bias.data<double>();
      double square = 0;
      for (const double v : x.values<double>()) square += v * v / double(n);
      EXPECT_NEAR(kernels.mean_square(values, n), square, 1e-14 * square);
      std::vector<double> y(size_t(n) + 1, 7.0), z = y;
      kernels.normalize_row(values, scales, biases, y.data(), n, 0.5, 2.0);
      kernels.normalize_row(values, scales, nullptr, z.data(), n, 0.5, 2.0);
      for (int64_t i = 0; i < n; ++i) {
        const double unit = (values[i] - 0.5) * 2 * scales[i];
        EXPECT_NEAR(z[size_t(i)], unit, 1e-14 * (1 + std::abs(unit)));
        EXPECT_NEAR(y[size_t(i)], unit + biases[i], 1e-14 * (2 + std::abs(unit)));
      }
      EXPECT_EQ(y.back(), 7.0);
      EXPECT_EQ(z.back(), 7.0);
    }
  }
}

TEST(NormalizeKernels, FactorsAndBlendsOfChannels) {
  for (const Isa isa : supported_isas()) {
    const NormalizeKernels& kernels = kernels_for<NormalizeKernels>(isa);
    for (const int64_t n : {1, 16, 37}) {
      const Tensor scale = cast_to(random_tensor({n}, 1), DType::kFloat64);
      const Tensor variance = cast_to(random_uniform({n}, 0, 2, 2), DType::kFloat64);
      const double *scales = scale.data<double>(), *variances = variance.data<double>();
      std::vector<float> floats(size_t(n) + 1, 7.0f);
      std::vector<double> doubles(size_t(n) + 1, 7.0), blends = doubles;
      kernels.factors(scales, variances, 1e-5, floats.data(), n);
      kernels.doubles.factors(scales, variances, 1e-5, doubles.data(), n);
      kernels.blend(scales, variances, 0.75, blends.data(), n);
      for (int64_t i = 0; i < n; ++i) {
        const double want = scales[i] / std::sqrt(variances[i] + 1e-5);
        EXPECT_NEAR(double(floats[size_t(i)]), want, 2e-7 * std::abs(want));
        EXPECT_NEAR(doubles[size_t(i)], want, 1e-15 * std::abs(want));
        EXPECT_NEAR(blends[size_t(i)], scales[i] * 0.75 + variances[i] * 0.25, 1e-15);
      }
      EXPECT_EQ(floats.back(), 7.0f);
      EXPECT_EQ(doubles.back(), 7.0);
      EXPECT_EQ(blends.back(), 7.0);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
