#pragma once

#include <vector>

#include "linnet/dim.h"
#include "tensor/atom_set.h"

namespace linnet {

/// The work of this thread on the facts of one graph: what arithmetic of dims may assume, and what operators demand of
/// dims (their lessons). Without a scope nothing is assumed, learned or counted.
class DimScope {
 public:
  /// symbols: what lessons can be about. Others are not known before a run, so that nothing could check the lesson.
  explicit DimScope(Dims symbols = {});
  ~DimScope();
  DimScope(const DimScope&) = delete;

  static DimScope* current();

  /// Whether answers may need what is assumed. At first they may not: equalities that operators demand come first.
  bool assumes() const { return assumes_; }
  void begin_assuming() { assumes_ = true; }
  /// Records that an answer needs what is assumed of the symbols in the dim.
  void assume(const Dim& dim);
  /// The symbols of which something was assumed: the graph is right only for runs where that holds.
  const Dims& assumed() const { return assumed_; }
  bool is_assumed(const Dim& symbol) const { return assumed_symbols_.contains(*Polynomial::atom_of(symbol)); }

  /// Counts terms that expressions are made of, in the current scope if there is one. False once a graph has needed
  /// more than any honest file does: then sums are unknown, which bounds the time that a hostile one takes.
  static bool spend(size_t terms);

  struct Lesson {
    Dim a, b;
    bool equal;  ///< false: a >= b
  };
  /// Whether there are lessons, see NoLessons.
  bool learns() const { return learns_; }
  void learn(const Dim& a, const Dim& b, bool equal);
  /// Makes a >= b a condition, in bodies too. False where no binding could check it.
  bool require_at_least(const Dim& a, const Dim& b);
  /// The lessons since the last call.
  std::vector<Lesson> take_lessons();
  /// All lessons that were taken: the graph is right only for runs where they hold.
  const std::vector<Lesson>& conditions() const { return conditions_; }

  /// While one lives, there are no lessons: what a body of control flow demands, not each run demands.
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
