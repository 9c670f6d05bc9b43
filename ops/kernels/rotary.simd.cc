#include "kernels/rotary.h"

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

void rotate_halves(const float* __restrict x, const float* __restrict cos, const float* __restrict sin, int64_t behind,
                   int64_t n, float* __restrict y) {
  for (int64_t i = 0; i < n; ++i) y[i] = cos[i] * x[i] - sin[i] * x[n + i];
  for (int64_t i = 0; i < n; ++i) y[n + i] = sin[behind + i] * x[i] + cos[behind + i] * x[n + i];
}

template <bool kWhole>
void rotate_neighbours(const float* __restrict x, const float* __restrict cos, const float* __restrict sin, int64_t n,
                       float* __restrict y) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t first = kWhole ? 2 * i : i, second = kWhole ? first + 1 : i;
    y[2 * i] = cos[first] * x[2 * i] - sin[first] * x[2 * i + 1];
    y[2 * i + 1] = sin[second] * x[2 * i] + cos[second] * x[2 * i + 1];
  }
}

void halves(const RotaryRows& r) {
  for (int64_t i = 0; i < r.count; ++i) {
    const int64_t angles = i * r.angle_pitch;
    rotate_halves(r.x + i * r.pitch, r.cos + angles, r.sin + angles, r.whole ? r.pairs : 0, r.pairs, r.y + i * r.pitch);
  }
}

void neighbours(const RotaryRows& r) {
  const auto rotate = r.whole ? rotate_neighbours<true> : rotate_neighbours<false>;
  for (int64_t i = 0; i < r.count; ++i) {
    const int64_t angles = i * r.angle_pitch;
    rotate(r.x + i * r.pitch, r.cos + angles, r.sin + angles, r.pairs, r.y + i * r.pitch);
  }
}

}  // namespace

void fill(RotaryKernels& k);

void fill(RotaryKernels& k) { k = {halves, neighbours}; }

}  // namespace linnet::LINNET_SIMD_NS
