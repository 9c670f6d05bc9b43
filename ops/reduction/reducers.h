#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "math/numbers.h"

// What each reduction does with one value after the other. A is the type of the sums: double for floats, 64-bit
// integers (which wrap around) for integers. Over no values a reduction gives its neutral element. join() adds what
// another reducer has seen.
namespace linnet {

template <class A>
struct SumReducer {
  A total = 0;
  void add(A v) { total = wrapping_add(total, v); }
  void join(const SumReducer& other) { total = wrapping_add(total, other.total); }
  A result(int64_t) const { return total; }
};

template <class A>
struct MeanReducer : SumReducer<A> {
  A result(int64_t count) const {
    if (std::is_integral_v<A> && count == 0) return 0;
    return this->total / static_cast<A>(count);
  }
};

template <class A>
struct SumAbsReducer : SumReducer<A> {
  void add(A v) { SumReducer<A>::add(v < A(0) ? wrapping_sub(A(0), v) : v); }
};

template <class A>
struct SumSquareReducer : SumReducer<A> {
  void add(A v) { SumReducer<A>::add(wrapping_mul(v, v)); }
};

template <class A>
struct NormReducer {
  double total = 0;
  void add(A v) { total += double(v) * double(v); }
  void join(const NormReducer& other) { total += other.total; }
  double result(int64_t) const { return std::sqrt(total); }
};

template <class A>
struct LogSumReducer : SumReducer<A> {
  double result(int64_t) const { return std::log(double(this->total)); }
};

/// log(sum of e^v) as max + log(sum of e^(v - max)), the maximum being corrected as it grows.
template <class A>
struct LogSumExpReducer {
  double max = -std::numeric_limits<double>::infinity();
  double total = 0;

  void add(A value) {
    const double v = double(value);
    if (v == max) {
      total += std::isinf(v) && v < 0 ? 0 : 1;
    } else if (v > max) {
      total = total * std::exp(max - v) + 1;
      max = v;
    } else {
      total += std::exp(v - max);
    }
  }
  void join(const LogSumExpReducer& other) {
    if (other.total == 0) return;
    const double most = other.max > max || other.max != other.max ? other.max : max;
    const auto scaled = [most](const LogSumExpReducer& r) {
      return r.max == most || r.total == 0 ? r.total : r.total * std::exp(r.max - most);
    };
    total = scaled(*this) + scaled(other);
    max = most;
  }
  double result(int64_t) const { return max + std::log(total); }
};

template <class A>
struct ProductReducer {
  A total = 1;
  void add(A v) { total = wrapping_mul(total, v); }
  void join(const ProductReducer& other) { add(other.total); }
  A result(int64_t) const { return total; }
};

/// NaN is larger and smaller than every other value.
template <class T>
struct MaxReducer {
  T best =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  void add(T v) { best = (v > best) | (v != v) ? v : best; }
  void join(const MaxReducer& other) { add(other.best); }
  T result(int64_t) const { return best; }
};

template <class T>
struct MinReducer {
  T best = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  void add(T v) { best = (v < best) | (v != v) ? v : best; }
  void join(const MinReducer& other) { add(other.best); }
  T result(int64_t) const { return best; }
};

}  // namespace linnet
