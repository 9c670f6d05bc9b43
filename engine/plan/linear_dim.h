#pragma once

#include <optional>

#include "linnet/dim.h"

namespace linnet {

/// A dim that grows with a symbol: base + slope * symbol. Evaluated without expressions, which allocate.
struct LinearDim {
  int64_t base = 0, slope = 0;

  /// nullopt for any other dim.
  static std::optional<LinearDim> of(const Dim& dim, const Dim& symbol);
  /// nullopt beyond 64 bits.
  std::optional<int64_t> at(int64_t symbol) const;
};

}  // namespace linnet
