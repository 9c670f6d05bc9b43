#include "tensor/dim_scope.h"

#include <algorithm>
#include <utility>

#include "tensor/polynomial.h"

namespace linnet {
namespace {

constexpr size_t kMostConditions = 1024;
constexpr size_t kMostSpent = 4'000'000;  // terms, which take about half a second

thread_local DimScope* current_scope = nullptr;

}  // namespace

DimScope::DimScope(Dims symbols) : learns_(!symbols.empty()) {
  for (const Dim& symbol : symbols) symbols_.insert(*Polynomial::atom_of(symbol));
  outer_ = std::exchange(current_scope, this);  // last, because a scope whose constructor throws is never destroyed
}
DimScope::~DimScope() { current_scope = outer_; }
DimScope* DimScope::current() { return current_scope; }

void DimScope::assume(const Dim& dim) {
  for_symbols(dim, [&](const AtomPtr& symbol) {
    const bool more = symbol->bounds.assumed.low > symbol->bounds.certain.low;
    if (more && assumed_symbols_.insert(symbol).second) assumed_.push_back(Polynomial::atom(symbol));
  });
}

bool DimScope::can_check(const Dim& dim) const {
  bool can = dim.determined();
  for_symbols(dim, [&](const AtomPtr& symbol) { can = can && symbols_.contains(symbol); });
  return can;
}

bool DimScope::has_room() const { return conditions_.size() + lessons_.size() < kMostConditions; }

void DimScope::learn(const Dim& a, const Dim& b, bool equal) {
  if (learns_ && has_room() && can_check(a) && can_check(b)) lessons_.push_back({a, b, equal});
}

bool DimScope::require_at_least(const Dim& a, const Dim& b) {
  if (required_.contains({a, b})) return true;
  if (!has_room() || !can_check(a) || !can_check(b)) return false;
  required_.insert({a, b});
  lessons_.push_back({a, b, false});
  return true;
}

std::vector<DimScope::Lesson> DimScope::take_lessons() {
  conditions_.insert(conditions_.end(), lessons_.begin(), lessons_.end());
  return std::exchange(lessons_, {});
}

bool DimScope::spend(size_t terms) {
  DimScope* const scope = current();
  if (!scope) return true;
  if (scope->spent_ <= kMostSpent) scope->spent_ += terms;
  return scope->spent_ <= kMostSpent;
}

DimScope::NoLessons::NoLessons() {
  if (current_scope) before_ = std::exchange(current_scope->learns_, false);
}

DimScope::NoLessons::~NoLessons() {
  if (current_scope) current_scope->learns_ = before_;
}

void learn_equal(const Dim& a, const Dim& b) {
  DimScope* const scope = DimScope::current();
  if (scope && !certainly_equal(a, b)) scope->learn(a, b, true);
}

void learn_at_least(const Dim& a, const Dim& b) {
  DimScope* const scope = DimScope::current();
  if (scope && (a - b).lower_bound() < 0) scope->learn(a, b, false);
}

}  // namespace linnet
