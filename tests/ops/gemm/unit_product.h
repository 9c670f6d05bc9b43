#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gemm/product_plan.h"
#include "gemm/weights.h"
#include "linnet/half.h"
#include "support/guarded_floats.h"

namespace linnet::testing {

template <class Type>
int64_t padded(int64_t n) {
  return (n + Type::kUnit - 1) / Type::kUnit * Type::kUnit;
}

/// Rows [tap][row][depth] whose distance is a number of whole units.
template <class Type>
class TapRows final : public RowSource<typename Type::A> {
 public:
  using A = typename Type::A;

  TapRows(const A* a, int64_t rows, int64_t depth) : a_(a), rows_(rows), depth_(depth) {}
  void rows(const RowBlock& block, const A** pointers, std::byte* /*scratch*/) const override {
    for (int64_t t = 0; t < block.taps; ++t) {
      for (int64_t i = 0; i < block.rows; ++i) {
        *pointers++ = a_ + ((block.tap + t) * rows_ + block.row + i) * padded<Type>(depth_) + block.k;
      }
    }
  }

 private:
  const A* a_;
  int64_t rows_, depth_;
};

/// A product of units of values with all its operands at the end of a page. Integers after rows that do not fill whole
/// units are not zero.
template <class Type>
struct UnitProduct {
  using A = typename Type::A;
  using B = typename Type::B;
  using Y = typename Type::Y;
  static constexpr int kUnit = Type::kUnit;

  UnitProduct(const GemmKernels<Type>& kernels, int64_t rows, int64_t columns, int64_t depth, int64_t of_taps = 1,
              int workers = 1)
      : m(rows),
        n(columns),
        k(depth),
        taps(of_taps),
        a_shift(kernels.a_shift),
        plan(kernels, {.rows = m, .columns = n, .taps = taps, .depth = k, .workers = workers}),
        a(taps * m * padded<Type>(k), 1),
        b(taps * k * n, 2),
        y(m * n, 3),
        packed(packed_size(plan.panels(), taps, k, kUnit)) {
    if (kernels.narrow) narrow_weights();
    if constexpr (!std::is_integral_v<A>) {
      for (int64_t i = 0; i < a.size(); ++i) {
        if (i % padded<Type>(k) >= k) a[i] = A();
      }
    }
  }

  /// Halves the weights, so that sums of two products stay within 16 bits.
  void narrow_weights() {
    for (int64_t i = 0; i < b.size(); ++i) b[i] = B(b[i] / 2);
  }

  /// Packs weights as [panel][tap][step][column][unit].
  void pack() {
    std::fill_n(packed.data(), packed.size(), B{0});
    for (int64_t panel = 0; panel < plan.panels().count(); ++panel) {
      const int64_t first = plan.panels().first_column(panel);
      const int64_t width = plan.panels().first_column(panel + 1) - first;
      B* to = packed.data() + panel_begin(plan.panels(), panel, taps, k, kUnit);
      for (int64_t i = 0; i < taps * k; ++i) {
        const int64_t row = (i / k * padded<Type>(k) + i % k) / kUnit;
        for (int64_t j = first; j < std::min(n, first + width); ++j) {
          to[(row * width + j - first) * kUnit + i % k % kUnit] = b[i * n + j];
        }
      }
    }
  }

  void run(const BasicEpilogue<Y>& epilogue = {}) {
    pack();
    const TapRows<Type> rows(a.data(), m, k);
    std::vector<std::byte> scratch(plan.scratch_bytes());
    const GemmOperands<Type> operands{
        .a = &rows, .b = packed.data(), .y = y.data(), .y_pitch = n, .epilogue = epilogue};
    for (int64_t chunk = plan.chunks() - 1; chunk >= 0; --chunk) plan.run_chunk(operands, chunk, scratch.data());
  }

  /// Returns the sum over taps and depth of term(value of A, value of B).
  template <class Total, class Term>
  Total sum_of(int64_t i, int64_t j, Term term) const {
    Total total = 0;
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t p = 0; p < k; ++p) {
        total += term(a[(t * m + i) * padded<Type>(k) + p], b[(t * k + p) * n + j]);
      }
    }
    return total;
  }

  /// Returns the sum of products of integers modulo 2^32, with A shifted as the kernel does.
  int32_t sum(int64_t i, int64_t j) const {
    return int32_t(uint32_t(sum_of<int64_t>(i, j, [&](A x, B w) { return (x - a_shift) * int64_t{w}; })));
  }

  void expect_sums() const {
    for (int64_t i = 0; i < m * n; ++i) {
      ASSERT_EQ(y[i], sum(i / n, i % n)) << "m " << m << " n " << n << " k " << k << " taps " << taps << " at " << i;
    }
  }

  int64_t m, n, k, taps;
  int64_t a_shift;
  GemmPlan<Type> plan;
  Guarded<A> a;
  Guarded<B> b;
  Guarded<Y> y;
  Guarded<B> packed;
};

}  // namespace linnet::testing
