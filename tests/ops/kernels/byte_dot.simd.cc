#include "ops/kernels/byte_dot.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

int32_t dot(const uint8_t* a, const int8_t* b, int64_t n) {
  int32_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

void fill(ByteDotKernels& kernels);
void fill(ByteDotKernels& kernels) { kernels.dot = dot; }

}  // namespace linnet::LINNET_SIMD_NS
