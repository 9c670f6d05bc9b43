#include "linnet/dim.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <ostream>

#include "linnet/error.h"
#include "tensor/dim_scope.h"
#include "tensor/polynomial.h"

namespace linnet {
namespace {

/// Whether `holds` is true of the dim's certain bounds or of those that the current scope assumes. Records an
/// assumption that it relies on.
template <class F>
bool is_certain(const Dim& dim, const F& holds) {
  const Bounds bounds = bounds_of(dim);
  if (holds(bounds.certain)) return true;
  DimScope* const scope = DimScope::current();
  if (!scope || !scope->assumes() || !holds(bounds.assumed)) return false;
  scope->assume(dim);
  return true;
}

/// Whether the terms leave a remainder: the number is not divisible by the common divisor of all other terms.
bool leaves_remainder(const Terms& terms) {
  int64_t divisor = 0, number = 0;
  for (const Term& term : terms) {
    if (term.factors.empty()) {
      number = term.coefficient;
    } else {
      divisor = std::gcd(divisor, term.coefficient);
    }
  }
  return divisor != 0 && number % divisor != 0;
}

/// Prints the dim, in parentheses unless it is a number or one atom.
void print_operand(std::ostream& out, const Dim& dim) {
  const bool is_simple = dim.known() || Polynomial::atom_of(dim);
  out << (is_simple ? "" : "(") << dim << (is_simple ? "" : ")");
}

void print(std::ostream& out, const Atom& atom) {
  switch (atom.kind) {
    case Atom::Kind::kSymbol:
      out << atom.name;
      break;
    case Atom::Kind::kFresh:
      out << '?';
      break;
    case Atom::Kind::kFloor:
      out << "floor(";
      print_operand(out, atom.a);
      out << '/';
      print_operand(out, atom.b);
      out << ')';
      break;
    case Atom::Kind::kMin:
      out << "min(" << atom.a << ',' << atom.b << ')';
      break;
    case Atom::Kind::kMax:
      out << "max(" << atom.a << ',' << atom.b << ')';
      break;
  }
}

void print(std::ostream& out, const Term& term, bool is_first) {
  if (term.coefficient < 0) {
    out << '-';
  } else if (!is_first) {
    out << '+';
  }
  const uint64_t number = term.coefficient < 0 ? 0 - uint64_t(term.coefficient) : uint64_t(term.coefficient);
  const bool shows_number = number != 1 || term.factors.empty();
  if (shows_number) out << number;
  for (size_t i = 0; i < term.factors.size(); ++i) {
    if (shows_number || i > 0) out << '*';
    print(out, *term.factors[i].atom);
    if (term.factors[i].power > 1) out << '^' << term.factors[i].power;
  }
}

Dim symbol_of(Atom::Kind kind, std::string name, int64_t number) {
  Atom atom;
  atom.kind = kind;
  atom.name = std::move(name);
  atom.number = number;
  constexpr Interval kSize{0, INT64_MAX};
  return bounded_symbol(atom, {kSize, kSize});
}

}  // namespace

Dim::Dim(std::string symbol) {
  if (!symbol.empty()) *this = symbol_of(Atom::Kind::kSymbol, std::move(symbol), 0);
}

Dim Dim::fresh() {
  // One thread makes the symbols of a graph. Their order, on which normal forms depend, is therefore that of creation.
  static std::atomic<int64_t> made = 0;
  return symbol_of(Atom::Kind::kFresh, {}, ++made);
}

const std::string& Dim::symbol() const {
  static const std::string none;
  const AtomPtr* const atom = Polynomial::atom_of(*this);
  return atom ? (*atom)->name : none;
}

std::string Dim::text() const { return known() || !expression_ || has_fresh(*this) ? "" : str(*this); }

int64_t Dim::lower_bound() const { return bounds_of(*this).certain.low; }
int64_t Dim::upper_bound() const { return bounds_of(*this).certain.high; }

Dim operator+(const Dim& a, const Dim& b) {
  int64_t number = 0;
  if (a.known() && b.known()) return __builtin_add_overflow(a.value_, b.value_, &number) ? Dim() : Dim(number);
  if (!a.determined() || !b.determined()) return {};
  if (a.value_ == 0) return b;
  if (b.value_ == 0) return a;
  Terms terms = Polynomial::terms_of(a);
  std::ranges::copy(Polynomial::terms_of(b), std::back_inserter(terms));
  return Polynomial::sum(std::move(terms));
}

Dim operator*(const Dim& a, const Dim& b) {
  int64_t number = 0;
  if (a.known() && b.known()) return __builtin_mul_overflow(a.value_, b.value_, &number) ? Dim() : Dim(number);
  if (!a.determined() || !b.determined()) return {};
  if (a.value_ == 0 || b.value_ == 0) return 0;
  if (a.value_ == 1) return b;
  if (b.value_ == 1) return a;
  auto terms = product(Polynomial::terms_of(a), Polynomial::terms_of(b));
  return terms ? Polynomial::sum(std::move(*terms)) : Dim();
}

Dim operator-(const Dim& a, const Dim& b) { return a + b * Dim(-1); }

bool certainly_equal(const Dim& a, const Dim& b) { return a.determined() && b.determined() && compare(a, b) == 0; }

bool certainly_equal(const Dims& a, const Dims& b) {
  return std::ranges::equal(a, b, [](const Dim& x, const Dim& y) { return certainly_equal(x, y); });
}

bool certainly_different(const Dim& a, const Dim& b) {
  if (a.known() && b.known()) return a.value() != b.value();
  const Dim difference = a - b;
  if (!difference.determined()) return false;
  if (difference.known()) return difference.value() != 0;
  return leaves_remainder(Polynomial::of(difference)->terms) ||
         is_certain(difference, [](const Interval& bounds) { return bounds.low > 0 || bounds.high < 0; });
}

bool certainly_at_least(const Dim& a, const Dim& b) {
  if (!a.determined() || !b.determined()) return false;
  // Compares the bounds first, because the difference may exceed 64 bits: INT64_MAX is at least any dim without a
  // bound.
  if (bounds_of(a).certain.low >= bounds_of(b).certain.high) return true;
  return is_certain(a - b, [](const Interval& bounds) { return bounds.low >= 0; });
}

std::ostream& operator<<(std::ostream& out, const Dim& dim) {
  if (dim.known()) return out << dim.value();
  const Polynomial* const p = Polynomial::of(dim);
  if (!p) return out << '?';
  for (size_t i = 0; i < p->terms.size(); ++i) print(out, p->terms[i], i == 0);
  return out;
}

}  // namespace linnet
