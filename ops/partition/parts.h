#pragma once

#include <algorithm>
#include <cstdint>

namespace linnet {

/// Returns a / b rounded up, for b > 0. Always inlined: SIMD units must not emit shared copies.
[[gnu::always_inline]] inline int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0); }

/// Returns the start of part `i` of `parts` nearly equal parts.
inline int64_t part_begin(int64_t total, int64_t parts, int64_t i) {
  return total / parts * i + std::min(i, total % parts);
}

/// The integers in [begin, end).
struct Span {
  int64_t begin = 0, end = 0;

  int64_t size() const { return end - begin; }
  /// Returns part `i` of `parts` nearly equal parts.
  Span part(int64_t parts, int64_t i) const {
    return {begin + part_begin(size(), parts, i), begin + part_begin(size(), parts, i + 1)};
  }
};

}  // namespace linnet
