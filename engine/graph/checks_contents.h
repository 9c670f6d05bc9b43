#pragma once

#include <span>

#include "linnet/fact.h"

namespace linnet {

/// What an Op is besides, if it refuses some contents of constants that no facts depend on: these are looked at once,
/// where a model is loaded, and not whenever shapes are inferred.
class ChecksContents {
 public:
  /// in: the facts of the node's inputs. Throws Error(kModel) naming the input.
  virtual void check_contents(std::span<const Fact> in) const = 0;

 protected:
  ~ChecksContents() = default;
};

}  // namespace linnet
