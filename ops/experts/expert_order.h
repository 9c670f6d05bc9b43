#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "linnet/fact.h"

namespace linnet {

/// The inputs of ExpertMatMul and ExpertMatMulNBits.
struct ExpertInputs {
  enum { kX, kExperts, kWeights, kBias };
};
struct ExpertNBitsInputs {
  enum { kX, kExperts, kCodes, kScales, kZeros, kBias, kNone };
};

/// Products of rows with the matrices of experts, in the order of the experts.
class ExpertOrder {
 public:
  /// `chosen` is the expert of each product; memory: bytes(), aligned to 8.
  /// Throws Error(kShape) for one that is not in [0, experts).
  ExpertOrder(std::span<const int64_t> chosen, int64_t experts, std::byte* memory);

  /// Those of an expert, in ascending order.
  std::span<const int64_t> products(int64_t expert) const {
    return sorted_.subspan(size_t(begins_[size_t(expert)]),
                           size_t(begins_[size_t(expert) + 1] - begins_[size_t(expert)]));
  }

  /// Throws Error(kLimit) on overflow.
  static size_t bytes(int64_t products, int64_t experts);

 private:
  std::span<int64_t> begins_, sorted_;
};

/// The dims of products of x [rows, depth] with matrices [experts, columns, ...] that `chosen` [products], a multiple
/// of the rows, names, plus a bias [experts, columns], which may be omitted. Throws Error(kShape) where they do not
/// fit.
Dims expert_product_dims(const Fact& x, const Fact& chosen, const Fact& matrices, const Fact& bias);

}  // namespace linnet
