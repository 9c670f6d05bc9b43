#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/number_reduce.h"

// The accumulation and the final step of each reduction, for numbers of any dtype. Sums of floats are float64; those of
// integers have 64 bits and wrap around. The reduction of no values is its neutral element.
namespace linnet {

struct SumTerms {
  static constexpr NumberReduction NumberSums::*kReduction = &NumberSums::sum;
  static constexpr int kNeutral = 0;
  static constexpr bool kReal = false;  ///< Whether integers are summed in float64 too.
  template <class A>
  static A result(A total, int64_t) {
    return total;
  }
};

struct MeanTerms : SumTerms {
  template <class A>
  static A result(A total, int64_t count) {
    if (std::is_integral_v<A> && count == 0) return 0;
    return total / static_cast<A>(count);
  }
};

struct SumAbsTerms : SumTerms {
  static constexpr NumberReduction NumberSums::*kReduction = &NumberSums::sum_abs;
};

struct SumSquareTerms : SumTerms {
  static constexpr NumberReduction NumberSums::*kReduction = &NumberSums::sum_square;
};

struct NormTerms : SumSquareTerms {
  static constexpr bool kReal = true;
  static double result(double total, int64_t) { return std::sqrt(total); }
};

struct LogSumTerms : SumTerms {
  template <class A>
  static double result(A total, int64_t) {
    return std::log(double(total));
  }
};

struct ProductTerms : SumTerms {
  static constexpr NumberReduction NumberSums::*kReduction = &NumberSums::product;
  static constexpr int kNeutral = 1;
};

/// NaN is both larger and smaller than every other value.
struct Greatest {
  static constexpr NumberReduction NumberExtremes::*kReduction = &NumberExtremes::max;
  template <class T>
  static constexpr T neutral() {
    using Values = std::numeric_limits<T>;
    return Values::has_infinity ? -Values::infinity() : Values::lowest();
  }
};

struct Least {
  static constexpr NumberReduction NumberExtremes::*kReduction = &NumberExtremes::min;
  template <class T>
  static constexpr T neutral() {
    using Values = std::numeric_limits<T>;
    return Values::has_infinity ? Values::infinity() : Values::max();
  }
};

}  // namespace linnet
