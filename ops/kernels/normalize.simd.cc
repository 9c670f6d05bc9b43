#include "kernels/normalize.h"

#include "kernels/block_sum.h"
#include "kernels/byte_vectors.h"
#include "kernels/independent.h"

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

// The following functions have no branches, so that compilers vectorise the loops.

template <class T>
void add_columns(const T* __restrict x, int64_t rows, int64_t pitch, int64_t columns, double* __restrict sums) {
  for (; rows >= 4; rows -= 4, x += 4 * pitch) {
    const T *second = x + pitch, *third = second + pitch, *fourth = third + pitch;
    for (int64_t c = 0; c < columns; ++c) {
      sums[c] = (((sums[c] + double(x[c])) + double(second[c])) + double(third[c])) + double(fourth[c]);
    }
  }
  for (; rows > 0; --rows, x += pitch) {
    for (int64_t c = 0; c < columns; ++c) sums[c] += double(x[c]);
  }
}

template <class T>
void add_column_distances(const T* __restrict x, int64_t rows, int64_t pitch, int64_t columns,
                          const double* __restrict means, double* __restrict sums) {
  const auto square = [](double distance) { return distance * distance; };
  for (; rows >= 4; rows -= 4, x += 4 * pitch) {
    const T *second = x + pitch, *third = second + pitch, *fourth = third + pitch;
    for (int64_t c = 0; c < columns; ++c) {
      const double mean = means[c];
      sums[c] = (((sums[c] + square(double(x[c]) - mean)) + square(double(second[c]) - mean)) +
                 square(double(third[c]) - mean)) +
                square(double(fourth[c]) - mean);
    }
  }
  for (; rows > 0; --rows, x += pitch) {
    for (int64_t c = 0; c < columns; ++c) sums[c] += square(double(x[c]) - means[c]);
  }
}

/// Returns the sum of term(x[i]), with the same number of partial sums on every instruction set.
template <class Term>
double sum_of_doubles(const double* x, int64_t n, Term term) {
  constexpr int kWidth = kLanes / 2, kParts = 16, kVectors = kParts / kWidth;
  using Vector = typename VectorOf<double, kWidth>::Type;
  Vector sums[kVectors] = {};
  for (; n >= kParts; x += kParts, n -= kParts) {
    LINNET_UNROLL for (int v = 0; v < kVectors; ++v) {
      Vector values;
      __builtin_memcpy(&values, x + v * kWidth, sizeof values);
      sums[v] += term(values);
    }
  }
  double parts[kParts];
  __builtin_memcpy(parts, sums, sizeof parts);
  for (int64_t i = 0; i < n; ++i) parts[i] += term(x[i]);
  for (int width = kParts / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) parts[i] += parts[i + width];
  }
  return parts[0];
}

DoubleNormalizeKernels::Moments double_moments(const double* x, int64_t n) {
  const double mean = sum_of_doubles(x, n, [](auto v) { return v; }) / double(n);
  return {mean, sum_of_doubles(x, n, [mean](auto v) { return (v - mean) * (v - mean); }) / double(n)};
}

void normalize_double_channel(const double* x, double* y, int64_t n, double mean, double factor, double bias) {
  LINNET_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor + bias;
}

void normalize_double_channels_last(const double* x, double* y, int64_t rows, int64_t n, const double* mean,
                                    const double* factor, const double* bias) {
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    LINNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean[i]) * factor[i] + bias[i];
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
  k.doubles = {double_moments, normalize_double_channel, normalize_double_channels_last};
  k.float_columns = {add_columns<float>, add_column_distances<float>};
  k.double_columns = {add_columns<double>, add_column_distances<double>};
}

}  // namespace linnet::LINNET_SIMD_NS
