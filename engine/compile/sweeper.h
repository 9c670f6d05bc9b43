#pragma once

#include <algorithm>
#include <cstddef>

namespace linnet {

/// Removes expired entries from a container each time it has grown to twice its size after the last sweep. So few
/// expired entries remain, and adding one takes amortised constant time.
class Sweeper {
 public:
  template <class Container, class IsExpired>
  void sweep(Container& container, IsExpired is_expired) {
    if (container.size() < next_) return;
    std::erase_if(container, is_expired);
    next_ = std::max(kLeast, 2 * container.size());
  }

 private:
  static constexpr size_t kLeast = 64;
  size_t next_ = kLeast;
};

}  // namespace linnet
