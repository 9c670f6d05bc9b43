#include "kernels/dots.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Writes the last values of each vector to the end of its last block.
std::vector<double> few_vectors(const Tensor& v, int64_t count, int64_t width) {
  const int64_t block = DotKernels::kVectors, pitch = (width + block - 1) / block * block;
  std::vector<double> packed(size_t(count * pitch));
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k < width; ++k) {
      const int64_t at = k < width / block * block ? k : k + pitch - width;
      packed[size_t(i * pitch + at)] = double(v.data<float>()[i * width + k]);
    }
  }
  return packed;
}

TEST(DotKernels, MultiplyRowsByFewVectors) {
  const int64_t rows = 3;
  for (int count = 1; count <= DotKernels::kRows; ++count) {
    for (int64_t width = 1; width < 40; ++width) {
      const Tensor x = random_tensor({rows, width}, unsigned(width)), v = random_tensor({count, width}, 77);
      const std::vector<double> packed = few_vectors(v, count, width);
      std::vector<std::vector<double>> results;
      for (const Isa isa : supported_isas()) {
        std::vector<double>& got = results.emplace_back(size_t(rows * count));
        kernels_for<DotKernels>(isa).few_products(x.data<float>(), rows, {packed.data(), count, width}, got.data());
        EXPECT_EQ(got, results.front()) << width;
      }
      for (int64_t i = 0; i < rows * count; ++i) {
        double want = 0;
        for (int64_t k = 0; k < width; ++k) {
          want += double(x.data<float>()[i / count * width + k]) * double(v.data<float>()[i % count * width + k]);
        }
        EXPECT_NEAR(results.front()[size_t(i)], want, 1e-13) << width << " " << count;
      }
    }
  }
}

/// Values that a block repeats do not count: an infinity times zero would be no number.
TEST(DotKernels, FewVectorsKeepInfinities) {
  std::vector<float> x(13, 1.0f);
  x[6] = INFINITY;
  const Tensor v = Tensor::of(std::vector<float>(13, 0.5f));
  const std::vector<double> packed = few_vectors(v, 1, 13);
  for (const Isa isa : supported_isas()) {
    double sum = 0;
    kernels_for<DotKernels>(isa).few_products(x.data(), 1, {packed.data(), 1, 13}, &sum);
    EXPECT_EQ(sum, double(INFINITY));
  }
}

}  // namespace
}  // namespace linnet::testing
