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

/// The products of rows with the matrices of experts, sorted by expert.
class ExpertOrder {
 public:
  /// `chosen` is the expert of each product; `memory` has bytes(), is aligned to 8 and must outlive this object. Throws
  /// Error(kShape) for an expert that is not in [0, experts).
  ExpertOrder(std::span<const int64_t> chosen, int64_t experts, std::byte* memory);

  /// The products of an expert, in ascending order.
  std::span<const int64_t> products(int64_t expert) const {
    return sorted_.subspan(size_t(begins_[size_t(expert)]),
                           size_t(begins_[size_t(expert) + 1] - begins_[size_t(expert)]));
  }

  /// Throws Error(kLimit) on overflow.
  static size_t bytes(int64_t products, int64_t experts);

 private:
  std::span<int64_t> begins_, sorted_;
};

/// The dims of products of x [rows, depth] with matrices [experts, columns, ...] selected by `chosen` [products], a
/// multiple of the rows, plus a bias [experts, columns], which may be omitted. Throws Error(kShape) if they do not fit.
Dims expert_product_dims(const Fact& x, const Fact& chosen, const Fact& matrices, const Fact& bias);

}  // namespace linnet
