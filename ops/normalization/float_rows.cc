#include "normalization/float_rows.h"

#include <algorithm>

namespace linnet {
namespace {

template <class From, class To>
void convert(const From* from, int64_t n, To* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = To(float(from[i]));
}

template <class T>
void round_to(float* values, int64_t n) {
  for (int64_t i = 0; i < n; ++i) values[i] = float(T(values[i]));
}

}  // namespace

const float* load_floats(const Tensor& tensor, int64_t first, int64_t n, float* buffer) {
  if (tensor.dtype() == DType::kFloat32) return tensor.data<float>() + first;
  if (tensor.dtype() == DType::kFloat16) {
    convert(tensor.data<Half>() + first, n, buffer);
  } else {
    convert(tensor.data<BFloat16>() + first, n, buffer);
  }
  return buffer;
}

float* float_target(Tensor& tensor, int64_t first, float* buffer) {
  return tensor.dtype() == DType::kFloat32 ? tensor.data<float>() + first : buffer;
}

void store_floats(const float* values, int64_t n, Tensor& tensor, int64_t first) {
  if (tensor.dtype() == DType::kFloat32) {
    float* to = tensor.data<float>() + first;
    if (to != values) std::copy(values, values + n, to);
  } else if (tensor.dtype() == DType::kFloat16) {
    convert(values, n, tensor.data<Half>() + first);
  } else {
    convert(values, n, tensor.data<BFloat16>() + first);
  }
}

void round_floats(DType dtype, float* values, int64_t n) {
  if (dtype == DType::kFloat16) round_to<Half>(values, n);
  if (dtype == DType::kBFloat16) round_to<BFloat16>(values, n);
}

}  // namespace linnet
