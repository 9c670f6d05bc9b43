#include "kernels/normalize.h"

#include "kernels/block_sum.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct Identity {
  F32 operator()(F32 x) const { return x; }
};
struct Square {
  F32 operator()(F32 x) const { return x * x; }
};
struct SquaredDistance {
  F32 from;
  F32 operator()(F32 x) const { return (x - from) * (x - from); }
};

NormalizeKernels::Moments moments(const float* x, int64_t n) {
  const float mean = sum_terms(x, n, Identity{}) / float(n);
  return {mean, sum_terms(x, n, SquaredDistance{F32(mean)}, mean) / float(n)};
}

float mean_square(const float* x, int64_t n) { return sum_terms(x, n, Square{}) / float(n); }

template <bool kBias>
void normalize(const float* x, const float* scale, const float* bias, float* y, int64_t n, F32 mean, F32 factor) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const F32 unit = (load(x + i) - mean) * factor;
    store(y + i, kBias ? xsimd::fma(unit, load(scale + i), load(bias + i)) : unit * load(scale + i));
  }
  if (i == n) return;
  const F32 unit = (load_part(x + i, n - i) - mean) * factor, s = load_part(scale + i, n - i);
  store_part(y + i, kBias ? xsimd::fma(unit, s, load_part(bias + i, n - i)) : unit * s, n - i);
}

void normalize_row(const float* x, const float* scale, const float* bias, float* y, int64_t n, float mean,
                   float factor) {
  if (bias) {
    normalize<true>(x, scale, bias, y, n, F32(mean), F32(factor));
  } else {
    normalize<false>(x, scale, bias, y, n, F32(mean), F32(factor));
  }
}

void normalize_channel(const float* x, float* y, int64_t n, float mean, float factor, float bias) {
  const F32 m(mean), f(factor), b(bias);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, xsimd::fma(load(x + i) - m, f, b));
  if (i < n) store_part(y + i, xsimd::fma(load_part(x + i, n - i) - m, f, b), n - i);
}

void normalize_channels_last(const float* x, float* y, int64_t rows, int64_t n, const float* mean, const float* factor,
                             const float* bias) {
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      store(y + i, xsimd::fma(load(x + i) - load(mean + i), load(factor + i), load(bias + i)));
    }
    if (i == n) continue;
    const F32 m = load_part(mean + i, n - i), f = load_part(factor + i, n - i), b = load_part(bias + i, n - i);
    store_part(y + i, xsimd::fma(load_part(x + i, n - i) - m, f, b), n - i);
  }
}

void scale_rows(const float* x, int64_t x_pitch, float* y, int64_t y_pitch, int64_t rows, int64_t n, const float* scale,
                const float* shift, float low) {
  const F32 least(low);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const F32 s = load(scale + i), t = shift ? load(shift + i) : F32(0.0f);
    for (int64_t r = 0; r < rows; ++r) {
      store(y + r * y_pitch + i, at_least(least, xsimd::fma(load(x + r * x_pitch + i), s, t)));
    }
  }
  if (i == n) return;
  const F32 s = load_part(scale + i, n - i), t = shift ? load_part(shift + i, n - i) : F32(0.0f);
  for (int64_t r = 0; r < rows; ++r) {
    store_part(y + r * y_pitch + i, at_least(least, xsimd::fma(load_part(x + r * x_pitch + i, n - i), s, t)), n - i);
  }
}

}  // namespace

void fill(NormalizeKernels& k);

void fill(NormalizeKernels& k) {
  k.moments = moments;
  k.mean_square = mean_square;
  k.normalize_row = normalize_row;
  k.normalize_channel = normalize_channel;
  k.normalize_channels_last = normalize_channels_last;
  k.scale_rows = scale_rows;
}

}  // namespace linnet::LINNET_SIMD_NS
