#include "tensor/lessons.h"

#include "tensor/polynomial.h"

namespace linnet {
namespace {

thread_local Lessons* latest = nullptr;

bool is_fresh(const std::string& symbol) { return symbol[0] == '?'; }

/// Whether the symbol is inside an atom or to a power.
bool occurs(const Dim& dim, const std::string& symbol) {
  bool found = false;
  substitute(dim, [&](const std::string& other) {
    found = found || other == symbol;
    return Dim();
  });
  return found;
}

std::optional<std::pair<std::string, Dim>> solved(const Dim& a, const Dim& b) {
  // min(x, y) = x: x is at most y.
  for (const auto& [whole, part] : {std::pair(a, b), std::pair(b, a)}) {
    const Polynomial* const p = Polynomial::expression(whole);
    if (!p || p->terms.size() != 1 || p->terms[0].coefficient != 1 || p->terms[0].factors.size() != 1) continue;
    const Atom& atom = *p->terms[0].factors[0].atom;
    if (atom.kind != Atom::Kind::kMin || p->terms[0].factors[0].power != 1) continue;
    const Dim& other = atom.a == part ? atom.b : atom.a;
    if (!(atom.a == part) && !(atom.b == part)) continue;
    if (!part.symbol().empty() && other.known()) return std::pair(part.symbol(), Dim(part.symbol(), part.least(), std::min(part.most(), other.value())));
  }
  const Dim difference = a - b;
  if (!difference.told() || difference.known()) return std::nullopt;
  for (const bool fresh : {true, false}) {
    for (const Term& term : Polynomial::of(difference)) {
      if (term.factors.size() != 1 || term.factors[0].power != 1) continue;
      const Atom& atom = *term.factors[0].atom;
      if (atom.kind != Atom::Kind::kSymbol || is_fresh(atom.text) != fresh) continue;
      const Dim rest = difference - Polynomial::sum({term});
      if (occurs(rest, atom.text)) continue;
      const Dim value = exact_quotient(rest * Dim(-1), term.coefficient);
      if (value.told()) return std::pair(atom.text, value);
    }
  }
  return std::nullopt;
}

}  // namespace

Lessons::Lessons() : outer_(latest) { latest = this; }
Lessons::~Lessons() { latest = outer_; }
Lessons* Lessons::current() { return latest; }

std::vector<std::pair<std::string, Dim>> Lessons::solve() const {
  std::vector<std::pair<std::string, Dim>> result;
  const auto of = [&](const std::string& symbol) {
    for (const auto& [name, dim] : result) {
      if (name == symbol) return dim;
    }
    return Dim();
  };
  for (const auto& [a, b] : equal_) {
    const auto next = solved(substitute(a, of), substitute(b, of));
    if (!next) continue;
    for (auto& [name, dim] : result) {
      dim = substitute(dim, [&](const std::string& symbol) { return symbol == next->first ? next->second : Dim(); });
    }
    result.push_back(*next);
  }
  return result;
}

void learn_equal(const Dim& a, const Dim& b) {
  if (Lessons* const lessons = Lessons::current()) lessons->add(a, b);
}

}  // namespace linnet
