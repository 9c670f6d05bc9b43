#pragma once

#include <string>
#include <vector>

#include "kernels/dots.h"
#include "kernels/kernels_for.h"
#include "kernels/number_unary.h"
#include "traditionalml/feature_rows.h"

namespace linnet {

/// The SIMD kernels for support vector machines.
struct SvmFunctions {
  explicit SvmFunctions(Isa isa)
      : dots(kernels_for<DotKernels>(isa)), doubles(kernels_for<NumberUnaryKernels>(isa).doubles) {}

  const DotKernels& dots;
  const DoubleFunctions& doubles;
};

/// The kernel function of a support vector machine, from the attributes kernel_type and kernel_params (gamma, coef0,
/// degree):
/// - LINEAR: a . b
/// - POLY: (gamma a . b + coef0)^degree
/// - RBF: exp(-gamma |a - b|^2)
/// - SIGMOID: tanh(gamma a . b + coef0)
class SvmKernel {
 public:
  /// Throws Error(kModel) for an unknown type or a wrong number of parameters.
  explicit SvmKernel(const NodeSpec& node);

  /// Sets values [rows, vectors] to the function of each row of x and each vector.
  void compute(const SvmFunctions& functions, const double* x, int rows, const DotVectors& vectors,
               double* values) const;

 private:
  enum class Type { kLinear, kPoly, kRbf, kSigmoid };
  Type type_;
  double gamma_ = 0, coef0_ = 0, degree_ = 0;
};

/// Support vectors [count, width] and their kernel function.
class SupportVectors {
 public:
  /// Reads `count` vectors from the attribute support_vectors. Throws Error(kModel) if the attribute does not fit.
  SupportVectors(const NodeSpec& node, int64_t count);

  int64_t count() const { return vectors_.count(); }
  int64_t width() const { return vectors_.width(); }
  /// Sets values [rows, count] to the kernel function of each row of x and each vector. rows: at most
  /// DotKernels::kRows.
  void compute(const SvmFunctions& functions, const double* x, int rows, double* values) const;

 private:
  SvmKernel kernel_;
  DotVectors vectors_;
};

}  // namespace linnet
