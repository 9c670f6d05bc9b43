#include "rnn/linear.h"

#include <algorithm>

namespace linnet {

Linear<float>::Linear(const GemmKernels& kernels, int64_t m, int64_t n, int64_t k)
    : panel_columns_(kernels.panel_columns),
      n_(n),
      k_(k),
      plan_(kernels,
            {.rows = m, .columns = n, .depth = k, .source_scratch_bytes = MatrixRows::scratch_bytes(kernels, k, k)}) {}

GemmWeights Linear<float>::weights(const float* w) const {
  return {.data = w, .depth = k_, .columns = n_, .depth_stride = 1, .column_stride = k_};
}

int64_t Linear<float>::packed_size() const { return packed_floats(weights(nullptr), panel_columns_); }

void Linear<float>::pack(const float* w, float* packed) const { pack_weights(weights(w), panel_columns_, packed); }

void Linear<float>::run(KernelContext& context, const float* x, const float* packed, const float* bias, float* y,
                        int64_t y_pitch) const {
  const MatrixRows rows(x, k_);
  plan_.run({.a = &rows, .b = packed, .y = y, .y_pitch = y_pitch, .epilogue = {.bias = bias}}, context);
}

void Linear<float>::run_alone(std::byte* scratch, const float* x, const float* packed, const float* bias, float* y,
                              int64_t y_pitch) const {
  const MatrixRows rows(x, k_);
  const GemmOperands operands{.a = &rows, .b = packed, .y = y, .y_pitch = y_pitch, .epilogue = {.bias = bias}};
  for (int64_t chunk = 0; chunk < plan_.chunks(); ++chunk) plan_.run_chunk(operands, chunk, scratch);
}

void Linear<double>::pack(const double* w, double* packed) const { std::copy(w, w + n_ * k_, packed); }

void Linear<double>::run_alone(std::byte*, const double* x, const double* packed, const double* bias, double* y,
                               int64_t y_pitch) const {
  for (int64_t i = 0; i < m_; ++i, x += k_, y += y_pitch) {
    for (int64_t j = 0; j < n_; ++j) {
      double sum = bias ? bias[j] : 0;
      for (int64_t k = 0; k < k_; ++k) sum += x[k] * packed[j * k_ + k];
      y[j] = sum;
    }
  }
}

}  // namespace linnet
