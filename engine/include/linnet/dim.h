#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "linnet/export.h"

namespace linnet {

struct Polynomial;

/// An integer as far as it is known before a run: a number, an expression over the dims that a model leaves open ("N",
/// "2*N+1", "min(S,512)"), or unknown. The dims of values are such integers, and so are the elements of shape tensors.
///
/// Arithmetic never throws. Its result is unknown if an operand is, if a number exceeds 64 bits, or if an expression
/// would be larger than docs/design/shapes.md allows. There is no operator==, because two dims can be certainly equal,
/// certainly different, or neither: see certainly_equal().
class LINNET_API Dim {
 public:
  Dim() = default;  ///< unknown
  /// A number.
  Dim(int64_t value) : value_(value) {}  // NOLINT: a number is a Dim
  /// A number of 0 or more that the model leaves open. Symbols with the same name are equal. With an empty name the dim
  /// is unknown.
  explicit Dim(std::string symbol);
  /// A symbol without a name, which equals only its copies.
  static Dim fresh();

  /// Whether it is a number.
  bool known() const { return value_ != kOpen; }
  /// The number; -1 if it is not known().
  int64_t value() const { return known() ? value_ : -1; }
  /// Whether it is a number or an expression.
  bool determined() const { return known() || expression_; }
  /// The name, if this is a single symbol; otherwise empty.
  const std::string& symbol() const;

  /// An expression over named symbols as text, "2*N+1"; empty for all others.
  std::string text() const;

  /// Bounds that hold in every run. INT64_MIN and INT64_MAX mean that there is no bound.
  int64_t lower_bound() const;
  int64_t upper_bound() const;

  /// Sum, difference and product.
  friend LINNET_API Dim operator+(const Dim& a, const Dim& b);
  friend LINNET_API Dim operator-(const Dim& a, const Dim& b);
  friend LINNET_API Dim operator*(const Dim& a, const Dim& b);
  Dim& operator+=(const Dim& b) { return *this = *this + b; }
  Dim& operator*=(const Dim& b) { return *this = *this * b; }

 private:
  friend struct Polynomial;

  static constexpr int64_t kOpen = INT64_MIN;
  int64_t value_ = kOpen;
  std::shared_ptr<const Polynomial> expression_;  // shared by all copies; nullptr for a number and for unknown
};

/// The dims of a value, or the elements of a small tensor of integers.
using Dims = std::vector<Dim>;

/// The largest integer that is not above a / b; unknown unless b is certainly 1 or more.
LINNET_API Dim floor_div(const Dim& a, const Dim& b);
/// The least integer that is not below a / b; unknown unless b is certainly 1 or more.
LINNET_API Dim ceil_div(const Dim& a, const Dim& b);
/// a - b * floor_div(a, b), in [0, b).
LINNET_API Dim remainder(const Dim& a, const Dim& b);
/// The polynomial whose product with b is a; unknown if it does not exist or b is 0.
LINNET_API Dim exact_quotient(const Dim& a, const Dim& b);
/// The smaller and the larger of two.
LINNET_API Dim min(const Dim& a, const Dim& b);
LINNET_API Dim max(const Dim& a, const Dim& b);

/// True if the relation holds in every run, otherwise false. Nothing is certain about an unknown dim, not even that it
/// equals itself.
LINNET_API bool certainly_equal(const Dim& a, const Dim& b);
LINNET_API bool certainly_equal(const Dims& a, const Dims& b);
LINNET_API bool certainly_different(const Dim& a, const Dim& b);
LINNET_API bool certainly_at_least(const Dim& a, const Dim& b);

/// Record that a = b, or a >= b, holds in every run that succeeds, because an operator fails otherwise. Inference of
/// the rest of the graph uses this.
LINNET_API void learn_equal(const Dim& a, const Dim& b);
LINNET_API void learn_at_least(const Dim& a, const Dim& b);

/// Prints "3", "2*N+1", "floor((W+1)/2)", or "?" for unknown.
LINNET_API std::ostream& operator<<(std::ostream& out, const Dim& dim);

}  // namespace linnet
