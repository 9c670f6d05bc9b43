#pragma once

#include <vector>

#include "linnet/dim.h"
#include "tensor/atom_set.h"

namespace linnet {

/// This thread's work on the facts of one graph: the assumptions that arithmetic of dims may use, and what operators
/// require of dims (their lessons). Without a scope nothing is assumed, learned or counted.
class DimScope {
 public:
  /// symbols: those that lessons can be about. Others are not known before a run, so that a lesson about them could not
  /// be checked.
  explicit DimScope(Dims symbols = {});
  ~DimScope();
  DimScope(const DimScope&) = delete;

  static DimScope* current();

  /// Whether answers may use assumptions. At first they may not, because equalities that operators require come first.
  bool assumes() const { return assumes_; }
  void begin_assuming() { assumes_ = true; }
  /// Records that an answer uses the assumptions about the symbols in the dim.
  void assume(const Dim& dim);
  /// The symbols about which something was assumed. The graph is correct only for runs in which the assumptions hold.
  const Dims& assumed() const { return assumed_; }
  bool is_assumed(const Dim& symbol) const { return assumed_symbols_.contains(*Polynomial::atom_of(symbol)); }

  /// Counts terms of expressions, in the current scope if there is one. Returns false once a graph has needed more than
  /// any legitimate file does; sums are then unknown, which bounds the time that a malicious file takes.
  static bool spend(size_t terms);

  struct Lesson {
    Dim a, b;
    bool equal;  ///< false: a >= b
  };
  /// Whether lessons are recorded, see NoLessons.
  bool learns() const { return learns_; }
  void learn(const Dim& a, const Dim& b, bool equal);
  /// Makes a >= b a condition, also inside of bodies. False if bindings cannot check it.
  bool require_at_least(const Dim& a, const Dim& b);
  /// The lessons since the last call.
  std::vector<Lesson> take_lessons();
  /// All lessons that were taken. The graph is correct only for runs in which they hold.
  const std::vector<Lesson>& conditions() const { return conditions_; }

  /// Disables lessons during its lifetime, because what a control-flow body requires is not required of every run.
  class NoLessons {
   public:
    NoLessons();
    ~NoLessons();
    NoLessons(const NoLessons&) = delete;

   private:
    bool before_ = false;
  };

 private:
  struct PairLess {
    bool operator()(const std::pair<Dim, Dim>& a, const std::pair<Dim, Dim>& b) const {
      const int first = compare(a.first, b.first);
      return first != 0 ? first < 0 : compare(a.second, b.second) < 0;
    }
  };

  bool can_check(const Dim& dim) const;
  bool has_room() const;

  DimScope* outer_ = nullptr;
  AtomSet symbols_, assumed_symbols_;
  Dims assumed_;
  bool assumes_ = false, learns_ = true;
  size_t spent_ = 0;
  std::vector<Lesson> lessons_, conditions_;
  std::set<std::pair<Dim, Dim>, PairLess> required_;
};

}  // namespace linnet
