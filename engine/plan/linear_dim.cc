#include "plan/linear_dim.h"

#include "tensor/dim_substitution.h"

namespace linnet {

std::optional<LinearDim> LinearDim::of(const Dim& dim, const Dim& symbol) {
  DimSubstitution zero, one;
  zero.add(symbol, 0);
  one.add(symbol, 1);
  const Dim base = zero(dim), slope = one(dim) - base;
  if (!base.known() || !slope.known() || !certainly_equal(base + slope * symbol, dim)) return std::nullopt;
  return LinearDim{base.value(), slope.value()};
}

std::optional<int64_t> LinearDim::at(int64_t symbol) const {
  int64_t result = 0;
  const bool overflows =
      __builtin_mul_overflow(slope, symbol, &result) || __builtin_add_overflow(result, base, &result);
  return overflows ? std::nullopt : std::optional(result);
}

}  // namespace linnet
