#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linnet/dim.h"

namespace linnet {

/// A dim that grows with symbols: base + slopes * symbols. Evaluated without expressions, which allocate.
struct LinearDim {
  int64_t base = 0;
  std::vector<int64_t> slopes{};  ///< by symbol; none: a number

  /// nullopt for any other dim.
  static std::optional<LinearDim> of(const Dim& dim, const Dims& symbols);
  /// nullopt beyond 64 bits.
  std::optional<int64_t> at(std::span<const int64_t> numbers) const;
  bool is_number() const;
  int64_t slope(size_t symbol) const { return slopes.empty() ? 0 : slopes[symbol]; }
};

}  // namespace linnet
