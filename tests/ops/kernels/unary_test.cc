#include "kernels/unary.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "functions/function_table.h"
#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

TEST(UnaryKernels, AnElementDoesNotDependOnItsPosition) {
  const Tensor x = random_tensor({67}, 1);
  const float* data = x.data<float>();
  for (const Isa isa : supported_isas()) {
    for (const UnaryFunction& f : unary_functions()) {
      if (!f.kernel) continue;
      const UnaryForm kernel = kernels_for<UnaryKernels>(isa).*f.kernel;
      const float alpha = f.alpha.fallback, beta = f.beta.fallback;
      for (int64_t n = 1; n <= 67; n += 3) {
        std::vector<float> y(size_t(n) + 1, 42.0f), one(1);
        kernel(data, y.data(), n, alpha, beta);
        EXPECT_EQ(y.back(), 42.0f) << f.name << " writes beyond element " << n;
        kernel(data + n - 1, one.data(), 1, alpha, beta);
        EXPECT_EQ(std::bit_cast<uint32_t>(one[0]), std::bit_cast<uint32_t>(y[size_t(n) - 1])) << f.name << ' ' << n;
      }
    }
  }
}

TEST(UnaryKernels, MayWriteOverTheirInput) {
  for (const Isa isa : supported_isas()) {
    for (const UnaryFunction& f : unary_functions()) {
      if (!f.kernel) continue;
      const UnaryForm kernel = kernels_for<UnaryKernels>(isa).*f.kernel;
      const float alpha = f.alpha.fallback, beta = f.beta.fallback;
      Tensor x = random_tensor({133}, 2), y(DType::kFloat32, {133});
      kernel(x.data<float>(), y.data<float>(), 133, alpha, beta);
      kernel(x.data<float>(), x.data<float>(), 133, alpha, beta);
      expect_close(x, y);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
