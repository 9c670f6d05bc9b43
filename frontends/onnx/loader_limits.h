#pragma once

#include <algorithm>
#include <cstdint>

#include "linnet/options.h"

namespace linnet {

/// Nesting of bodies and function calls that the loader follows: options' limit, but never more than the stack bears.
inline int64_t depth_limit(const Limits& limits) {
  constexpr int64_t kDeepest = 256;
  return limits.depth > 0 ? std::min(limits.depth, kDeepest) : kDeepest;
}

/// Nodes that a model may have once its functions are inlined: options' limit, but never more than memory bears, as a
/// few functions that call each other twice describe any number.
inline int64_t node_limit(const Limits& limits) {
  constexpr int64_t kMost = 1'000'000;
  return limits.nodes > 0 ? std::min(limits.nodes, kMost) : kMost;
}

}  // namespace linnet
