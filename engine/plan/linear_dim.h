#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linnet/dim.h"

namespace linnet {

/// A dim that grows linearly with symbols: base + slopes * symbols. It is evaluated without expressions, which
/// allocate.
struct LinearDim {
  int64_t base = 0;
  std::vector<int64_t> slopes{};  ///< by symbol; empty for a number

  /// nullopt if the dim does not have this form.
  static std::optional<LinearDim> of(const Dim& dim, const Dims& symbols);
  /// The value for these symbols; nullopt if it exceeds 64 bits.
  std::optional<int64_t> at(std::span<const int64_t> numbers) const;
  bool is_number() const;
  int64_t slope(size_t symbol) const { return slopes.empty() ? 0 : slopes[symbol]; }
};

}  // namespace linnet
