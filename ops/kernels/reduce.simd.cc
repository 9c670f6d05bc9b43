#include "kernels/reduce.h"

#include "kernels/block_sum.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct Identity {
  F32 operator()(F32 x) const { return x; }
};
struct Absolute {
  F32 operator()(F32 x) const { return magnitude_of(x); }
};
struct Square {
  F32 operator()(F32 x) const { return x * x; }
};

template <class Term>
float sum_row(const float* x, int64_t n) {
  return sum_terms(x, n, Term{});
}

template <F32 (*kJoin)(F32, F32), float (*kJoinLanes)(F32)>
float extreme_row(const float* x, int64_t n) {
  F32 first(x[0]), second(x[0]);
  int64_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    first = kJoin(first, load(x + i));
    second = kJoin(second, load(x + i + kLanes));
  }
  for (; i < n; i += kLanes) first = kJoin(first, i + kLanes <= n ? load(x + i) : load_part(x + i, n - i, x[0]));
  return kJoinLanes(kJoin(first, second));
}

constexpr int kParts = 4;

/// kParts running sums of n products, joined.
inline F32 dot_block(const float* a, const float* b, int64_t n) {
  F32 part[kParts] = {F32(0.0f), F32(0.0f), F32(0.0f), F32(0.0f)};
  int64_t i = 0;
  for (; i + kParts * kLanes <= n; i += kParts * kLanes) {
    LINNET_UNROLL
    for (int k = 0; k < kParts; ++k) {
      part[k] = xsimd::fma(load(a + i + k * kLanes), load(b + i + k * kLanes), part[k]);
    }
  }
  for (; i + kLanes <= n; i += kLanes) part[0] = xsimd::fma(load(a + i), load(b + i), part[0]);
  if (i < n) part[1] = xsimd::fma(load_part(a + i, n - i), load_part(b + i, n - i), part[1]);
  return (part[0] + part[1]) + (part[2] + part[3]);
}

float dot(const float* a, const float* b, int64_t n) {
  constexpr int64_t kBlock = 64 * kParts * kLanes;  // at most 64 products in a running sum
  F32 total(0.0f);
  for (int64_t i = 0; i < n; i += kBlock) total += dot_block(a + i, b + i, n - i < kBlock ? n - i : kBlock);
  return sum_lanes(total);
}

/// Rows that are summed before they are added to the total: bounds the rounding error.
constexpr int64_t kRowBlock = 64;

template <class Term>
struct Sum {
  static F32 begin(F32) { return F32(0.0f); }
  static F32 step(F32 sum, F32 x) { return sum + Term{}(x); }
  static F32 join(F32 total, F32 sum) { return total + sum; }
};

template <F32 (*kFunction)(F32, F32)>
struct Extreme {
  static F32 begin(F32 x) { return x; }
  static F32 step(F32 best, F32 x) { return kFunction(best, x); }
  static F32 join(F32 a, F32 b) { return kFunction(a, b); }
};

/// kVectors vectors of neighbouring columns, all full.
template <class Reduction, int kVectors>
inline void reduce_vectors(const float* x, float* y, int64_t rows, int64_t pitch) {
  F32 total[kVectors];
  for (int v = 0; v < kVectors; ++v) total[v] = Reduction::begin(load(x + v * kLanes));
  for (int64_t begin = 0; begin < rows; begin += kRowBlock) {
    const int64_t end = begin + kRowBlock < rows ? begin + kRowBlock : rows;
    F32 part[kVectors];
    for (int v = 0; v < kVectors; ++v) part[v] = Reduction::begin(load(x + begin * pitch + v * kLanes));
    for (int64_t r = begin; r < end; ++r) {
      for (int v = 0; v < kVectors; ++v) part[v] = Reduction::step(part[v], load(x + r * pitch + v * kLanes));
    }
    for (int v = 0; v < kVectors; ++v) total[v] = Reduction::join(total[v], part[v]);
  }
  for (int v = 0; v < kVectors; ++v) store(y + v * kLanes, total[v]);
}

/// Fewer columns than a vector holds.
template <class Reduction>
inline void reduce_tail(const float* x, float* y, int64_t rows, int64_t pitch, int64_t columns) {
  F32 total = Reduction::begin(load_part(x, columns));
  for (int64_t begin = 0; begin < rows; begin += kRowBlock) {
    const int64_t end = begin + kRowBlock < rows ? begin + kRowBlock : rows;
    F32 part = Reduction::begin(load_part(x + begin * pitch, columns));
    for (int64_t r = begin; r < end; ++r) part = Reduction::step(part, load_part(x + r * pitch, columns));
    total = Reduction::join(total, part);
  }
  store_part(y, total, columns);
}

template <class Reduction>
void reduce_columns(const float* x, float* y, int64_t rows, int64_t pitch, int64_t columns) {
  int64_t c = 0;
  for (; c + 4 * kLanes <= columns; c += 4 * kLanes) reduce_vectors<Reduction, 4>(x + c, y + c, rows, pitch);
  for (; c + kLanes <= columns; c += kLanes) reduce_vectors<Reduction, 1>(x + c, y + c, rows, pitch);
  if (c < columns) reduce_tail<Reduction>(x + c, y + c, rows, pitch, columns - c);
}

}  // namespace

void fill(ReduceKernels& k);

void fill(ReduceKernels& k) {
  k.sum = {sum_row<Identity>, reduce_columns<Sum<Identity>>};
  k.sum_abs = {sum_row<Absolute>, reduce_columns<Sum<Absolute>>};
  k.sum_square = {sum_row<Square>, reduce_columns<Sum<Square>>};
  k.max = {extreme_row<max_nan, max_lanes>, reduce_columns<Extreme<max_nan>>};
  k.dot = dot;
  k.min = {extreme_row<min_nan, min_lanes>, reduce_columns<Extreme<min_nan>>};
}

}  // namespace linnet::LINNET_SIMD_NS
