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

constexpr int kParts = 4;

template <F32 (*kJoin)(F32, F32), float (*kJoinLanes)(F32)>
float extreme_row(const float* x, int64_t n) {
  F32 part[kParts] = {F32(x[0]), F32(x[0]), F32(x[0]), F32(x[0])};
  int64_t i = 0;
  for (; i + kParts * kLanes <= n; i += kParts * kLanes) {
    LINNET_UNROLL
    for (int k = 0; k < kParts; ++k) part[k] = kJoin(part[k], load(x + i + k * kLanes));
  }
  for (; i < n; i += kLanes) {
    part[0] = kJoin(part[0], i + kLanes <= n ? load(x + i) : load_part(x + i, n - i, x[0]));
  }
  return kJoinLanes(kJoin(kJoin(part[0], part[1]), kJoin(part[2], part[3])));
}

/// Computes kParts running sums of n products for each of kRows rows, and joins them.
template <int kRows>
inline void add_dots(const float* x, int64_t pitch, const float* v, int64_t n, F32* total) {
  F32 part[kRows][kParts];
  LINNET_UNROLL for (auto& row : part) { LINNET_UNROLL for (F32& sum : row) sum = F32(0.0f); }
  int64_t i = 0;
  for (; i + kParts * kLanes <= n; i += kParts * kLanes) {
    LINNET_UNROLL
    for (int k = 0; k < kParts; ++k) {
      const F32 b = load(v + i + k * kLanes);
      LINNET_UNROLL
      for (int r = 0; r < kRows; ++r) part[r][k] = xsimd::fma(load(x + r * pitch + i + k * kLanes), b, part[r][k]);
    }
  }
  for (; i + kLanes <= n; i += kLanes) {
    LINNET_UNROLL
    for (int r = 0; r < kRows; ++r) part[r][0] = xsimd::fma(load(x + r * pitch + i), load(v + i), part[r][0]);
  }
  LINNET_UNROLL
  for (int r = 0; r < kRows; ++r) {
    if (i < n) part[r][1] = xsimd::fma(load_part(x + r * pitch + i, n - i), load_part(v + i, n - i), part[r][1]);
    total[r] += (part[r][0] + part[r][1]) + (part[r][2] + part[r][3]);
  }
}

template <int kRows>
inline void row_dots(const float* x, int64_t pitch, const float* v, int64_t n, float* y) {
  constexpr int64_t kBlock = 64 * kParts * kLanes;  // at most 64 products in a running sum
  F32 total[kRows];
  LINNET_UNROLL for (F32& sum : total) sum = F32(0.0f);
  for (int64_t i = 0; i < n; i += kBlock) {
    add_dots<kRows>(x + i, pitch, v + i, n - i < kBlock ? n - i : kBlock, total);
  }
  LINNET_UNROLL
  for (int r = 0; r < kRows; ++r) y[r] = sum_lanes(total[r]);
}

float dot(const float* a, const float* b, int64_t n) {
  float y;
  row_dots<1>(a, n, b, n, &y);
  return y;
}

/// Computes several rows at a time, which share the loads of the vector.
void dots(const float* x, int64_t rows, int64_t pitch, const float* v, int64_t n, float* y) {
  constexpr int kTogether = kRegisters / 8;
  int64_t r = 0;
  for (; r + kTogether <= rows; r += kTogether) row_dots<kTogether>(x + r * pitch, pitch, v, n, y + r);
  for (; r < rows; ++r) row_dots<1>(x + r * pitch, pitch, v, n, y + r);
}

/// Adds x[i] to y[i] for the whole vectors of kWidth elements from i on. Returns the start of the tail.
template <int kWidth>
inline int64_t add_vectors(const float* x, float* y, int64_t i, int64_t n) {
  typedef float Vector __attribute__((vector_size(kWidth * sizeof(float))));
  for (; i + kWidth <= n; i += kWidth) {
    Vector a, b;
    __builtin_memcpy(&a, x + i, sizeof a);
    __builtin_memcpy(&b, y + i, sizeof b);
    b += a;
    __builtin_memcpy(y + i, &b, sizeof b);
  }
  return i;
}

/// Tails are not written by masked stores: loads that follow soon would wait for these.
void add_rows(const float* x, int64_t x_pitch, float* y, int64_t y_pitch, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r, x += x_pitch, y += y_pitch) {
    int64_t i = kLanes >= 8 ? add_vectors<8>(x, y, 0, n) : 0;
    i = add_vectors<4>(x, y, i, n);
    for (; i < n; ++i) y[i] += x[i];
  }
}

/// The number of rows that are summed before they are added to the total. It bounds the rounding error.
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

/// Accesses to a vector of columns, and to the last columns, which are fewer.
struct Whole {
  F32 load_from(const float* x) const { return load(x); }
  void store_to(float* y, F32 v) const { store(y, v); }
};
struct Part {
  int64_t n;
  F32 load_from(const float* x) const { return load_part(x, n); }
  void store_to(float* y, F32 v) const { store_part(y, v, n); }
};

template <class F>
inline void for_vectors(int64_t columns, const F& f) {
  int64_t c = 0;
  for (; c + kLanes <= columns; c += kLanes) f(c, Whole{});
  if (c < columns) f(c, Part{columns - c});
}

/// Adds kCount rows to the sums, which are not initialised yet where kFirst.
template <class Reduction, int kCount, bool kFirst>
inline void add_rows(const float* x, int64_t pitch, int64_t columns, float* sums) {
  for_vectors(columns, [&](int64_t c, const auto& vector) {
    F32 sum = kFirst ? Reduction::begin(vector.load_from(x + c)) : load(sums + c);
    LINNET_UNROLL for (int r = 0; r < kCount; ++r) sum = Reduction::step(sum, vector.load_from(x + r * pitch + c));
    store(sums + c, sum);
  });
}

/// Reduces up to kRowBlock rows, in the order of memory.
template <class Reduction>
inline void reduce_block(const float* x, int64_t rows, int64_t pitch, int64_t columns, float* sums) {
  constexpr int kCount = 8;
  int64_t r = kCount;
  if (rows >= kCount) {
    add_rows<Reduction, kCount, true>(x, pitch, columns, sums);
  } else {
    add_rows<Reduction, 1, true>(x, pitch, columns, sums);
    r = 1;
  }
  for (; r + kCount <= rows; r += kCount) add_rows<Reduction, kCount, false>(x + r * pitch, pitch, columns, sums);
  for (; r < rows; ++r) add_rows<Reduction, 1, false>(x + r * pitch, pitch, columns, sums);
}

template <class Reduction>
void reduce_columns(const float* x, float* y, int64_t rows, int64_t pitch, int64_t columns) {
  constexpr int64_t kStrip = 1024;
  float sums[kStrip], total[kStrip];
  for (int64_t first = 0; first < columns; first += kStrip, x += kStrip, y += kStrip) {
    const int64_t n = columns - first < kStrip ? columns - first : kStrip;
    for (int64_t begin = 0; begin < rows; begin += kRowBlock) {
      const int64_t count = rows - begin < kRowBlock ? rows - begin : kRowBlock;
      reduce_block<Reduction>(x + begin * pitch, count, pitch, n, sums);
      for_vectors(n, [&](int64_t c, const auto& vector) {
        const F32 before = begin == 0 ? Reduction::begin(vector.load_from(x + c)) : load(total + c);
        const F32 after = Reduction::join(before, load(sums + c));
        if (begin + count < rows)
          store(total + c, after);
        else
          vector.store_to(y + c, after);
      });
    }
  }
}

}  // namespace

void fill(ReduceKernels& k);

void fill(ReduceKernels& k) {
  k.sum = {sum_row<Identity>, reduce_columns<Sum<Identity>>};
  k.sum_abs = {sum_row<Absolute>, reduce_columns<Sum<Absolute>>};
  k.sum_square = {sum_row<Square>, reduce_columns<Sum<Square>>};
  k.max = {extreme_row<max_nan, max_lanes>, reduce_columns<Extreme<max_nan>>};
  k.dot = dot;
  k.dots = dots;
  k.add_rows = add_rows;
  k.min = {extreme_row<min_nan, min_lanes>, reduce_columns<Extreme<min_nan>>};
}

}  // namespace linnet::LINNET_SIMD_NS
