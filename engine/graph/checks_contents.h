#pragma once

#include <span>

#include "linnet/fact.h"

namespace linnet {

/// An additional interface of an Op that rejects some contents of constants on which no facts depend. They are checked
/// once, when a model is loaded, and not whenever shapes are inferred.
class ChecksContents {
 public:
  /// Checks the constants among `in`, the facts of the node's inputs. Throws Error(kModel), which names the input.
  virtual void check_contents(std::span<const Fact> in) const = 0;

 protected:
  ~ChecksContents() = default;
};

}  // namespace linnet
