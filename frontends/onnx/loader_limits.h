#pragma once

#include <algorithm>
#include <cstdint>

#include "linnet/options.h"

namespace linnet {

/// Returns how deep bodies and function calls may nest: the limit of the options, but at most what the stack permits.
inline int64_t depth_limit(const Limits& limits) {
  constexpr int64_t kDeepest = 256;
  return limits.depth > 0 ? std::min(limits.depth, kDeepest) : kDeepest;
}

/// Returns how many nodes a model may have after its functions are inlined: the limit of the options, but at most what
/// memory permits. A few functions that call each other twice can describe any number of nodes.
inline int64_t node_limit(const Limits& limits) {
  constexpr int64_t kMost = 1'000'000;
  return limits.nodes > 0 ? std::min(limits.nodes, kMost) : kMost;
}

}  // namespace linnet
