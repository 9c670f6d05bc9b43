#pragma once

#include "gemm/product_plan.h"
#include "gemm/weights.h"

namespace linnet {

/// Computes y[m, n] = x[m, k] * w[n, k]^T + bias[n] for float or double, with w packed beforehand.
template <class C>
class InputProduct {
  using Type = GemmReal<C>;

 public:
  InputProduct(const GemmKernels<Type>& kernels, int64_t m, int64_t n, int64_t k);

  /// The number of values in the packed w.
  int64_t packed_size() const { return linnet::packed_size(plan_.panels(), 1, k_); }
  void pack(const C* w, C* packed) const;
  /// Computes the product in parallel, or with run_alone() on the calling worker only. y_pitch is the number of values
  /// from one row of y to the next. bias may be null.
  void run(KernelContext& context, const C* x, const C* packed, const C* bias, C* y, int64_t y_pitch) const;
  void run_alone(std::byte* scratch, const C* x, const C* packed, const C* bias, C* y, int64_t y_pitch) const;
  size_t scratch_bytes() const { return plan_.scratch_bytes(); }
  /// Whether run() has work for more than one thread.
  bool is_parallel() const { return plan_.chunks() > 1; }

 private:
  int64_t n_, k_;
  GemmPlan<Type> plan_;
};

}  // namespace linnet
