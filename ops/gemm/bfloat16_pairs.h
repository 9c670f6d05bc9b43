#pragma once

#include <string>

#include "gemm/half_weights.h"
#include "gemm/weights.h"

namespace linnet {

// Products of float32 by constant weights, computed in bfloat16 (ModelOptions::precision).

/// Whether the product of inputs 0 and 1 is computed in bfloat16. This requires that the user asked for it, that the
/// weights are constant and that the processor supports it.
bool multiplies_bfloat16(const CompileInput& in);
/// Returns the part of a description that is about bfloat16; empty where the user did not ask for it.
std::string bfloat16_text(const CompileInput& in);
/// Returns the part of a description that is about a product with packed weights of type B.
template <class B>
std::string product_text(const CompileInput& in) {
  return multiplies_bfloat16(in) ? bfloat16_text(in) : weights_text<B>() + bfloat16_text(in);
}

/// Calls f.template operator()<Type>() with the GemmType of a bfloat16 product, or else with that of the weights.
template <class F>
auto with_product_of(const CompileInput& in, const F& f) {
  return multiplies_bfloat16(in) ? f.template operator()<GemmBFloat16Pairs>() : with_weights_of(in, 1, f);
}

/// Rounds contiguous rows of `depth` values to rows that a zero pads to whole pairs.
void round_rows(Executor& executor, Isa isa, const float* x, int64_t rows, int64_t depth, BFloat16* y);

/// Contiguous rows of float values as a product of this type reads them: unchanged, or rounded.
template <class Type>
class ProductRows {
  using A = typename Type::A;

 public:
  ProductRows(int64_t rows, int64_t depth, Isa isa) : rows_(rows), depth_(depth), isa_(isa) {}

  /// The distance in values from one row to the next.
  int64_t depth() const { return depth_ + depth_ % Type::kUnit; }
  size_t scratch_bytes() const { return Type::kUnit == 1 ? 0 : dtype_bytes(dtype_of<A>, checked_mul(rows_, depth())); }
  const A* get(const typename Type::Y* x, std::byte* scratch, Executor& executor) const {
    if constexpr (Type::kUnit == 1) {
      return x;
    } else {
      auto* rounded = reinterpret_cast<A*>(scratch);
      round_rows(executor, isa_, x, rows_, depth_, rounded);
      return rounded;
    }
  }

 private:
  int64_t rows_, depth_;
  Isa isa_;
};

/// Rounds the weights and packs all panels in pairs of the depth.
void pack_pairs(const GemmWeights<float>& weights, const GemmPanels& panels, BFloat16* packed, Executor& executor);

}  // namespace linnet
