#pragma once

#include <vector>

#include "gemm/packed_gemm.h"
#include "kernels/kernel_table.h"
#include "linnet/op.h"

namespace linnet {

/// y[m, n] = x[m, k] * w[n, k]^T + bias[n], with w packed beforehand. In float32 on the SIMD matrix kernels.
template <class C>
class Linear;

template <>
class Linear<float> {
 public:
  Linear(const GemmKernels& kernels, int64_t m, int64_t n, int64_t k);

  /// Values of the packed form.
  int64_t packed_size() const;
  void pack(const float* w, float* packed) const;
  /// In parallel; or by the calling worker alone. y_pitch: values from one row of y to the next; bias may be null.
  void run(KernelContext& context, const float* x, const float* packed, const float* bias, float* y,
           int64_t y_pitch) const;
  void run_alone(std::byte* scratch, const float* x, const float* packed, const float* bias, float* y,
                 int64_t y_pitch) const;
  size_t scratch_bytes() const { return plan_.scratch_bytes(); }
  /// Whether run() has work for more than one thread.
  bool is_parallel() const { return plan_.chunks() > 1; }

 private:
  GemmWeights weights(const float* w) const;

  int panel_columns_;
  int64_t n_, k_;
  GemmPlan plan_;
};

template <>
class Linear<double> {
 public:
  Linear(const GemmKernels&, int64_t m, int64_t n, int64_t k) : m_(m), n_(n), k_(k) {}

  int64_t packed_size() const { return checked_mul(n_, k_); }
  void pack(const double* w, double* packed) const;
  void run(KernelContext&, const double* x, const double* packed, const double* bias, double* y,
           int64_t y_pitch) const {
    run_alone(nullptr, x, packed, bias, y, y_pitch);
  }
  void run_alone(std::byte*, const double* x, const double* packed, const double* bias, double* y,
                 int64_t y_pitch) const;
  size_t scratch_bytes() const { return 0; }
  bool is_parallel() const { return false; }

 private:
  int64_t m_, n_, k_;
};

}  // namespace linnet
