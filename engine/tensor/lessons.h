#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "linnet/dim.h"

namespace linnet {

/// What operators say of dims while the facts of a graph are inferred (see learn_equal): the thread's lessons, as long
/// as they live.
class Lessons {
 public:
  Lessons();
  ~Lessons();
  Lessons(const Lessons&) = delete;

  static Lessons* current();
  void add(const Dim& a, const Dim& b) { equal_.emplace_back(a, b); }
  /// What follows for symbols: a function of the old for a new one, empty where nothing does.
  std::vector<std::pair<std::string, Dim>> solve() const;

 private:
  Lessons* outer_;
  std::vector<std::pair<Dim, Dim>> equal_;
};

}  // namespace linnet
