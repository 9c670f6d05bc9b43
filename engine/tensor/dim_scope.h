#pragma once

#include <set>
#include <utility>
#include <vector>

#include "linnet/dim.h"

namespace linnet {

/// The work of this thread on the facts of one graph: what arithmetic of dims may assume, and what operators demand of
/// dims (their lessons). Without a scope nothing is assumed, learned or counted.
class DimScope {
 public:
  DimScope();
  ~DimScope();
  DimScope(const DimScope&) = delete;

  static DimScope* current();

  /// Whether answers may need what is assumed. At first they may not: equalities that operators demand come first.
  bool assumes() const { return assumes_; }
  void begin_assuming() { assumes_ = true; }

  struct Order {
    bool operator()(const Dim& a, const Dim& b) const;
  };
  using Symbols = std::set<Dim, Order>;

  /// The symbols of which something was assumed: the graph is right only for runs where that holds.
  const Symbols& assumed() const { return assumed_; }
  /// Records that an answer needs what is assumed of the symbols in the dim.
  void assume(const Dim& dim);

  /// Counts terms that expressions are made of, in the current scope if there is one. False once a graph has needed
  /// more than any honest file does: then sums are unknown, which bounds the time that a hostile one takes.
  static bool spend(size_t terms);

  struct Lesson {
    Dim a, b;
    bool equal;  ///< false: a >= b
  };
  std::vector<Lesson> take_lessons() { return std::exchange(lessons_, {}); }
  void learn(const Dim& a, const Dim& b, bool equal) { lessons_.push_back({a, b, equal}); }

 private:
  DimScope* outer_;
  bool assumes_ = false;
  size_t spent_ = 0;
  Symbols assumed_;
  std::vector<Lesson> lessons_;
};

}  // namespace linnet
