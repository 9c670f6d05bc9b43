#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/activation.h"
#include "kernels/kernel_table.h"
#include "support/run_op.h"

namespace linnet {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

double log1p_exp(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

struct Function {
  const char* name;
  UnaryKernels::F UnaryKernels::*kernel;
  double (*reference)(double x, double alpha, double beta);
  double ulps;  ///< bound on the error
  float alpha = 0, beta = 0;
  float least = -kInfinity;  ///< below it the bound does not hold
};

const Function kFunctions[] = {
    {"relu", &UnaryKernels::relu, [](double x, double, double) { return std::fmax(x, 0); }, 0},
    {"clip", &UnaryKernels::clip, [](double x, double a, double b) { return std::fmin(std::fmax(x, a), b); }, 0, -2, 3},
    {"leaky_relu", &UnaryKernels::leaky_relu, [](double x, double a, double) { return x < 0 ? a * x : x; }, 0.5, 0.25f},
    {"thresholded_relu", &UnaryKernels::thresholded_relu, [](double x, double a, double) { return x > a ? x : 0; }, 0,
     1},
    {"elu", &UnaryKernels::elu, [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }, 1.5, 1},
    {"selu", &UnaryKernels::selu, [](double x, double a, double g) { return g * (x < 0 ? a * std::expm1(x) : x); }, 3,
     1.6732632f, 1.0507009f},
    {"celu", &UnaryKernels::celu, [](double x, double a, double) { return x < 0 ? a * std::expm1(x / a) : x; }, 2.5, 2},
    {"sigmoid", &UnaryKernels::sigmoid, [](double x, double, double) { return 1 / (1 + std::exp(-x)); }, 2.5},
    {"swish", &UnaryKernels::swish, [](double x, double a, double) { return x / (1 + std::exp(-a * x)); }, 4, 1, 0,
     -86},
    {"mish", &UnaryKernels::mish, [](double x, double, double) { return x * std::tanh(log1p_exp(x)); }, 4, 0, 0, -86},
    {"softplus", &UnaryKernels::softplus, [](double x, double, double) { return log1p_exp(x); }, 2},
    {"softsign", &UnaryKernels::softsign, [](double x, double, double) { return x / (1 + std::abs(x)); }, 2},
    {"tanh", &UnaryKernels::tanh, [](double x, double, double) { return std::tanh(x); }, 2.5},
    {"erf", &UnaryKernels::erf, [](double x, double, double) { return std::erf(x); }, 2},
    {"exp", &UnaryKernels::exp, [](double x, double, double) { return std::exp(x); }, 1.5},
    {"log", &UnaryKernels::log, [](double x, double, double) { return std::log(x); }, 1.5},
    {"sqrt", &UnaryKernels::sqrt, [](double x, double, double) { return std::sqrt(x); }, 0.5},
    {"reciprocal", &UnaryKernels::reciprocal, [](double x, double, double) { return 1 / x; }, 0.5},
    {"asinh", &UnaryKernels::asinh, [](double x, double, double) { return std::asinh(x); }, 2},
    {"sin", &UnaryKernels::sin, [](double x, double, double) { return std::sin(x); }, 1},
    {"cos", &UnaryKernels::cos, [](double x, double, double) { return std::cos(x); }, 1},
    {"neg", &UnaryKernels::neg, [](double x, double, double) { return -x; }, 0},
    {"abs", &UnaryKernels::abs, [](double x, double, double) { return std::abs(x); }, 0},
    {"floor", &UnaryKernels::floor, [](double x, double, double) { return std::floor(x); }, 0},
    {"ceil", &UnaryKernels::ceil, [](double x, double, double) { return std::ceil(x); }, 0},
    {"round", &UnaryKernels::round, [](double x, double, double) { return std::nearbyint(x); }, 0},
    {"square", &UnaryKernels::square, [](double x, double, double) { return x * x; }, 0.5},
    {"scale", &UnaryKernels::scale, [](double x, double a, double b) { return a * x + b; }, 1, 4, 0},
    {"copy", &UnaryKernels::copy, [](double x, double, double) { return x; }, 0},
};

/// Floats from all over the range, and many where functions bend; special values first.
std::vector<float> sample() {
  std::vector<float> x{0.0f,
                       -0.0f,
                       kInfinity,
                       -kInfinity,
                       kNan,
                       std::numeric_limits<float>::max(),
                       std::numeric_limits<float>::lowest(),
                       std::numeric_limits<float>::denorm_min(),
                       -std::numeric_limits<float>::denorm_min(),
                       std::numeric_limits<float>::min(),
                       88.72283f,
                       88.72284f,
                       -87.33654f,
                       -103.9f,
                       -104.1f,
                       0.5f,
                       1.5f,
                       2.5f,
                       -0.5f,
                       -1.5f,
                       1.0f,
                       -1.0f};
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 100003) x.push_back(std::bit_cast<float>(uint32_t(bits)));
  for (double v = -20; v < 20; v += 1.03e-3) x.push_back(float(v));
  return x;
}

double ulp(double value) {
  const double magnitude = std::min(std::abs(value), double(std::numeric_limits<float>::max()));
  if (magnitude < double(std::numeric_limits<float>::min())) return 0x1p-149;
  return std::ldexp(1.0, std::ilogb(magnitude) - 23);
}

bool is_within(float got, double want, double ulps) {
  if (std::isnan(want)) return std::isnan(got);
  // What rounds to infinity may be infinite, and only that.
  if (std::isinf(got)) return std::abs(want) > 0x1.fffffep127 && (got > 0) == (want > 0);
  // Half an ulp is what rounding to float may cost an exact function.
  return std::abs(double(got) - want) <= std::max(ulps, 0.5) * ulp(want);
}

TEST(UnaryKernels, StayWithinTheirErrorBounds) {
  const std::vector<float> x = sample();
  for (const Isa isa : testing::supported_isas()) {
    for (const Function& f : kFunctions) {
      std::vector<float> y(x.size());
      (kernel_table(isa).unary.*f.kernel)(x.data(), y.data(), int64_t(x.size()), f.alpha, f.beta);
      int failures = 0;
      for (size_t i = 0; i < x.size() && failures < 3; ++i) {
        const double want = f.reference(double(x[i]), double(f.alpha), double(f.beta));
        if (std::isnan(x[i]) ? std::isnan(y[i]) : (x[i] < f.least || is_within(y[i], want, f.ulps))) continue;
        ++failures;
        ADD_FAILURE() << isa_name(isa) << ' ' << f.name << '(' << x[i] << "): got " << y[i] << ", want " << want;
      }
    }
  }
}

TEST(UnaryKernels, GeluIsAccurateRelativeToX) {
  const std::vector<float> x = sample();
  std::vector<float> y(x.size()), t(x.size());
  for (const Isa isa : testing::supported_isas()) {
    const UnaryKernels& kernels = kernel_table(isa).unary;
    kernels.gelu(x.data(), y.data(), int64_t(x.size()), 0, 0);
    kernels.gelu_tanh(x.data(), t.data(), int64_t(x.size()), 0, 0);
    for (size_t i = 0; i < x.size(); ++i) {
      const double v = double(x[i]), bound = 2e-7 * std::abs(v) + 0x1p-149;
      if (!std::isfinite(v)) continue;
      ASSERT_NEAR(double(y[i]), v / 2 * std::erfc(-v / std::sqrt(2.0)), bound) << isa_name(isa) << " gelu " << v;
      const double u = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
      ASSERT_NEAR(double(t[i]), v / (1 + std::exp(-2 * u)), bound) << isa_name(isa) << " gelu_tanh " << v;
    }
  }
}

TEST(UnaryKernels, PiecewiseLinearSigmoids) {
  const std::vector<float> x{-9, -3, -1, 0, 0.5f, 1, 2.9f, 3, 9};
  for (const Isa isa : testing::supported_isas()) {
    std::vector<float> y(x.size());
    kernel_table(isa).unary.hard_sigmoid(x.data(), y.data(), int64_t(x.size()), 0.2f, 0.5f);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], std::clamp(0.2 * x[i] + 0.5, 0.0, 1.0), 1e-6);
    kernel_table(isa).unary.hard_swish(x.data(), y.data(), int64_t(x.size()), 0, 0);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], x[i] * std::clamp(x[i] / 6.0 + 0.5, 0.0, 1.0), 1e-6);
  }
}

TEST(UnaryKernels, AnElementDoesNotDependOnItsPosition) {
  const Tensor x = testing::random_tensor({67}, 1);
  const float* data = x.data<float>();
  for (const Isa isa : testing::supported_isas()) {
    for (const Function& f : kFunctions) {
      const UnaryKernels::F kernel = kernel_table(isa).unary.*f.kernel;
      for (int64_t n = 1; n <= 67; n += 3) {
        std::vector<float> y(size_t(n) + 1, 42.0f), one(1);
        kernel(data, y.data(), n, f.alpha, f.beta);
        EXPECT_EQ(y.back(), 42.0f) << f.name << " writes beyond element " << n;
        kernel(data + n - 1, one.data(), 1, f.alpha, f.beta);
        EXPECT_EQ(std::bit_cast<uint32_t>(one[0]), std::bit_cast<uint32_t>(y[size_t(n) - 1])) << f.name << ' ' << n;
      }
    }
  }
}

TEST(UnaryKernels, MayWriteOverTheirInput) {
  for (const Isa isa : testing::supported_isas()) {
    for (const Function& f : kFunctions) {
      const UnaryKernels::F kernel = kernel_table(isa).unary.*f.kernel;
      Tensor x = testing::random_tensor({133}, 2), y(DType::kFloat32, {133});
      kernel(x.data<float>(), y.data<float>(), 133, f.alpha, f.beta);
      kernel(x.data<float>(), x.data<float>(), 133, f.alpha, f.beta);
      testing::expect_close(x, y);
    }
  }
}

TEST(UnaryKernels, SignsOfZeroSurvive) {
  for (const Isa isa : testing::supported_isas()) {
    const UnaryKernels& k = kernel_table(isa).unary;
    for (const auto kernel : {k.tanh, k.erf, k.asinh, k.sin, k.floor, k.round, k.elu}) {
      float x = -0.0f;
      kernel(&x, &x, 1, 1, 0);
      EXPECT_TRUE(x == 0 && std::signbit(x));
    }
    float x = -0.25f;
    k.ceil(&x, &x, 1, 0, 0);
    EXPECT_TRUE(x == 0 && std::signbit(x));
  }
}

TEST(UnaryKernels, EveryActivationHasItsFunction) {
  const UnaryKernels& k = kernel_table(Isa::kAuto).unary;
  EXPECT_EQ(k.of(Activation::kNone), k.copy);
  EXPECT_EQ(k.of(Activation::kRelu), k.relu);
  EXPECT_EQ(k.of(Activation::kGeluTanh), k.gelu_tanh);
  EXPECT_EQ(k.of(Activation::kSoftplus), k.softplus);
}

}  // namespace
}  // namespace linnet
