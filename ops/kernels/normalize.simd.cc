#include "kernels/normalize.h"

#include "kernels/before_aligned.h"
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
  int64_t i = before_aligned(y, n);
  if (i > 0) store_part(y, xsimd::fma(load_part(x, i) - m, f, b), i);
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

/// Adds the distances of the rows from an origin, and their squares.
template <class T>
void add_distances(const T* __restrict x, int64_t rows, int64_t pitch, int64_t columns, const double* __restrict origin,
                   double* __restrict sums, double* __restrict squares) {
  for (; rows >= 4; rows -= 4, x += 4 * pitch) {
    const T *second = x + pitch, *third = second + pitch, *fourth = third + pitch;
    for (int64_t c = 0; c < columns; ++c) {
      const double p = double(x[c]) - origin[c], q = double(second[c]) - origin[c];
      const double r = double(third[c]) - origin[c], s = double(fourth[c]) - origin[c];
      sums[c] += (p + q) + (r + s);
      squares[c] += (p * p + q * q) + (r * r + s * s);
    }
  }
  for (; rows > 0; --rows, x += pitch) {
    for (int64_t c = 0; c < columns; ++c) {
      const double distance = double(x[c]) - origin[c];
      sums[c] += distance;
      squares[c] += distance * distance;
    }
  }
}

/// The origin is the first row: so close to the others that their mean cancels few digits of a block's squares. Blocks
/// are joined as Chan, Golub and LeVeque do: "Updating Formulae and a Pairwise Algorithm for Computing Sample
/// Variances", 1979.
template <class T>
void add_moments(const T* x, int64_t rows, int64_t pitch, int64_t columns, int64_t before, double* __restrict means,
                 double* __restrict squares) {
  constexpr int64_t kColumns = ColumnMoments<T>::kMostColumns;
  double origin[kColumns], block_sums[kColumns], block_squares[kColumns];
  for (int64_t c = 0; c < columns; ++c) {
    const double first = double(x[c]);
    origin[c] = first - first == 0 ? first : 0;  // Infinities are no origin.
    block_sums[c] = block_squares[c] = 0;
  }
  add_distances(x, rows, pitch, columns, origin, block_sums, block_squares);
  const double per_row = 1 / double(rows), all = double(before + rows);
  const double part = double(rows) / all, kept = double(before) / all;
  for (int64_t c = 0; c < columns; ++c) {
    const double mean = block_sums[c] * per_row, inner = block_squares[c] - block_sums[c] * mean;
    const double distance = origin[c] + mean - means[c];
    means[c] = means[c] * kept + (origin[c] + mean) * part;
    squares[c] += (inner < 0 ? 0 : inner) + distance * distance * (part * double(before));
  }
}

float root(float x) { return __builtin_sqrtf(x); }
double root(double x) { return __builtin_sqrt(x); }

template <class T>
void factors(const double* __restrict scale, const double* __restrict variance, double epsilon, T* __restrict y,
             int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = T(scale[i]) / root(T(variance[i] + epsilon));
}

void blend(const double* a, const double* b, double part, double* y, int64_t n) {
  const double rest = 1 - part;
  LINNET_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] * part + b[i] * rest;
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

double double_mean_square(const double* x, int64_t n) {
  return sum_of_doubles(x, n, [](auto v) { return v * v; }) / double(n);
}

void normalize_double_row(const double* x, const double* scale, const double* bias, double* y, int64_t n, double mean,
                          double factor) {
  if (bias) {
    LINNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor * scale[i] + bias[i];
  } else {
    LINNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor * scale[i];
  }
}

void normalize_double_channel(const double* x, double* y, int64_t n, double mean, double factor, double bias) {
  int64_t i = 0;
  for (const int64_t first = before_aligned(y, n); i < first; ++i) y[i] = (x[i] - mean) * factor + bias;
  LINNET_INDEPENDENT
  for (; i < n; ++i) y[i] = (x[i] - mean) * factor + bias;
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
  k.doubles = {.moments = double_moments,
               .mean_square = double_mean_square,
               .normalize_row = normalize_double_row,
               .normalize_channel = normalize_double_channel,
               .normalize_channels_last = normalize_double_channels_last,
               .factors = factors<double>};
  k.float_columns = {add_moments<float>};
  k.double_columns = {add_moments<double>};
  k.factors = factors<float>;
  k.blend = blend;
}

}  // namespace linnet::LINNET_SIMD_NS
