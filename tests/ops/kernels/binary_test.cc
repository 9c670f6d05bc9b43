#include "kernels/binary.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct Operation {
  const char* name;
  BinaryForms BinaryKernels::*forms;
  float (*reference)(float a, float b);
};

const Operation kOperations[] = {
    {"add", &BinaryKernels::add, [](float a, float b) { return a + b; }},
    {"sub", &BinaryKernels::sub, [](float a, float b) { return a - b; }},
    {"mul", &BinaryKernels::mul, [](float a, float b) { return a * b; }},
    {"div", &BinaryKernels::div, [](float a, float b) { return a / b; }},
    {"max", &BinaryKernels::max,
     [](float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b); }},
    {"min", &BinaryKernels::min,
     [](float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b); }},
    {"prelu", &BinaryKernels::prelu, [](float a, float b) { return a < 0 ? a * b : a; }},
};

Tensor values(int64_t n, unsigned seed) {
  Tensor x = random_tensor({n}, seed);
  for (int64_t i = 3; i < n; i += 7) x.data<float>()[i] = std::numeric_limits<float>::quiet_NaN();
  for (int64_t i = 5; i < n; i += 11) x.data<float>()[i] = -std::numeric_limits<float>::infinity();
  return x;
}

TEST(BinaryKernels, AllFormsComputeEveryElement) {
  for (const Isa isa : supported_isas()) {
    for (const Operation& operation : kOperations) {
      const BinaryForms& forms = kernels_for<BinaryKernels>(isa).*operation.forms;
      for (const int64_t n : {0, 1, 3, 16, 31, 100, 301}) {
        const Tensor a = values(n + 1, 1), b = values(n + 1, 2);
        Tensor y(DType::kFloat32, {n}), want(DType::kFloat32, {n});
        const auto check = [&](BinaryForms::F form, int64_t a_step, int64_t b_step) {
          std::vector<float> room(size_t(n) + 8, 7.0f);
          form(a.data<float>(), b.data<float>(), y.data<float>(), n);
          form(a.data<float>(), b.data<float>(), room.data() + 3, n);  // at another address
          EXPECT_EQ(room[2], 7.0f);
          EXPECT_EQ(room[size_t(n) + 3], 7.0f);
          for (int64_t i = 0; i < n; ++i) {
            EXPECT_EQ(std::bit_cast<uint32_t>(room[size_t(i) + 3]), std::bit_cast<uint32_t>(y.data<float>()[i]));
          }
          for (int64_t i = 0; i < n; ++i) {
            want.data<float>()[i] = operation.reference(a.data<float>()[i * a_step], b.data<float>()[i * b_step]);
          }
          SCOPED_TRACE(operation.name);
          expect_close(y, want);
        };
        check(forms.vector_vector, 1, 1);
        check(forms.vector_scalar, 1, 0);
        check(forms.scalar_vector, 0, 1);
      }
    }
  }
}

TEST(BinaryKernels, MayWriteOverEitherOperand) {
  for (const Isa isa : supported_isas()) {
    Tensor a = random_tensor({53}, 1), b = random_tensor({53}, 2);
    Tensor want(DType::kFloat32, {53});
    const BinaryForms& sub = kernels_for<BinaryKernels>(isa).sub;
    sub.vector_vector(a.data<float>(), b.data<float>(), want.data<float>(), 53);
    Tensor over_a = a.clone(), over_b = b.clone();
    sub.vector_vector(over_a.data<float>(), b.data<float>(), over_a.data<float>(), 53);
    sub.vector_vector(a.data<float>(), over_b.data<float>(), over_b.data<float>(), 53);
    expect_close(over_a, want);
    expect_close(over_b, want);
  }
}

}  // namespace
}  // namespace linnet::testing
