#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "linnet/export.h"

namespace linnet {

struct Polynomial;

/// An integer as far as it is known before a run: a number, an expression over what a model leaves open ("N", "2*N+1",
/// "min(S,512)"), or nothing. Expressions are polynomials over symbols, floors of quotients, minima and maxima, in a
/// normal form. Arithmetic with an unknown dim, or beyond the limits of expressions (see docs/design/shapes.md), gives an
/// unknown one, and never an Error.
class LINNET_API Dim {
 public:
  Dim() = default;
  Dim(int64_t value) : value_(value) {}  // NOLINT: a number is a Dim
  /// An open number of at least `least`, and of at most `most`. Symbols of one name are equal. An empty name: unknown.
  explicit Dim(std::string symbol, int64_t least = 0, int64_t most = INT64_MAX);

  bool known() const { return value_ != kOpen; }  ///< a number
  int64_t value() const { return known() ? value_ : -1; }
  bool told() const { return known() || expression_; }  ///< a number or an expression
  /// The name where it is one symbol, else empty.
  const std::string& symbol() const;

  friend LINNET_API Dim operator+(const Dim& a, const Dim& b);
  friend LINNET_API Dim operator-(const Dim& a, const Dim& b);
  friend LINNET_API Dim operator*(const Dim& a, const Dim& b);
  Dim& operator+=(const Dim& b) { return *this = *this + b; }
  Dim& operator*=(const Dim& b) { return *this = *this * b; }

  /// The least and the largest number that it can be, INT64_MIN and INT64_MAX where there is no such bound.
  int64_t least() const;
  int64_t most() const;

  /// Equal only where certain.
  friend bool operator==(const Dim& a, const Dim& b) {
    return a.known() ? a.value_ == b.value_ : !b.known() && same_expression(a, b);
  }

 private:
  friend struct Polynomial;
  static bool same_expression(const Dim& a, const Dim& b);

  static constexpr int64_t kOpen = INT64_MIN;
  int64_t value_ = kOpen;
  std::shared_ptr<const Polynomial> expression_;  // one for all copies; nullptr: a number or unknown
};

/// The largest integer that is not above a / b; unknown unless b is certainly 1 or more.
LINNET_API Dim floor_div(const Dim& a, const Dim& b);
/// The dim whose product with b is a; unknown where there is no such polynomial. Right where b is not 0.
LINNET_API Dim exact_quotient(const Dim& a, const Dim& b);
/// a - b * floor_div(a, b), in [0, b).
LINNET_API Dim remainder(const Dim& a, const Dim& b);
/// The least integer that is not below a / b.
LINNET_API Dim ceil_div(const Dim& a, const Dim& b);
LINNET_API Dim min(const Dim& a, const Dim& b);
LINNET_API Dim max(const Dim& a, const Dim& b);

/// False where it is not certain, as for a dim that is unknown.
LINNET_API bool certainly_different(const Dim& a, const Dim& b);
LINNET_API bool certainly_at_least(const Dim& a, const Dim& b);

/// The dim with another for each symbol for which `of` returns a told one.
LINNET_API Dim substitute(const Dim& dim, const std::function<Dim(const std::string& symbol)>& of);

/// Prints "3", "2*N+1", "floor((W+1)/2)", "?" where unknown.
LINNET_API std::ostream& operator<<(std::ostream& out, const Dim& dim);

using Dims = std::vector<Dim>;

/// Says that every run that succeeds has a = b. While a graph's facts are inferred, it is learned for all of them.
LINNET_API void learn_equal(const Dim& a, const Dim& b);

}  // namespace linnet
