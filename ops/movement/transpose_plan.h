#pragma once

#include <span>
#include <vector>

#include "linnet/op.h"

namespace linnet {

/// A permutation of axes in its simplest form. Axes of extent 1 are dropped, and adjacent axes that stay adjacent are
/// merged.
struct Permutation {
  std::vector<int64_t> extents;  ///< The extents of the input.
  std::vector<int> perm;         ///< Output axis d is input axis perm[d].

  /// Whether the data keeps its order.
  bool is_identity() const { return extents.size() <= 1; }
};

Permutation simplify_permutation(const Shape& shape, std::span<const int> perm);

/// Returns a kernel that writes input 0 with its axes permuted: output axis d is input axis perm[d].
KernelPtr make_transpose(DType dtype, const Shape& shape, std::span<const int> perm, Isa isa);

}  // namespace linnet
