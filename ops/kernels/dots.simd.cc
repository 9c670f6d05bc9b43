#include "kernels/dots.h"

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int kSums = 8;  // of each row, which do not wait for each other
typedef double Sums __attribute__((vector_size(kSums * sizeof(double))));
typedef float Values __attribute__((vector_size(kSums * sizeof(float))));

template <class To>
[[gnu::always_inline]] inline To load_vector(const void* from, int64_t bytes) {
  To values{};
  __builtin_memcpy(&values, from, size_t(bytes));
  return values;
}

struct Product {
  template <class T>
  [[gnu::always_inline]] static inline T of(T x, T y) {
    return x * y;
  }
};
struct SquaredDistance {
  template <class T>
  [[gnu::always_inline]] static inline T of(T x, T y) {
    return (x - y) * (x - y);
  }
};

/// The values that are left behind whole vectors are filled up with zeros, of which both terms are 0.
template <class Term>
double row_sum(const double* x, const float* row, int64_t width) {
  Sums sums{};
  int64_t k = 0;
  for (; k + kSums <= width; k += kSums) {
    sums += Term::of(load_vector<Sums>(x + k, sizeof(Sums)),
                     __builtin_convertvector(load_vector<Values>(row + k, sizeof(Values)), Sums));
  }
  if (const int64_t left = width - k; left > 0) {
    const Values values = load_vector<Values>(row + k, left * int64_t{sizeof(float)});
    sums += Term::of(load_vector<Sums>(x + k, left * int64_t{sizeof(double)}), __builtin_convertvector(values, Sums));
  }
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

template <class Term>
void row_sums(const double* x, const float* rows, int64_t count, int64_t width, double* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = row_sum<Term>(x, rows + i * width, width);
}

}  // namespace

void fill(DotKernels& kernels);

void fill(DotKernels& kernels) { kernels = {.products = row_sums<Product>, .distances = row_sums<SquaredDistance>}; }

}  // namespace linnet::LINNET_SIMD_NS
