#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "linnet/tensor.h"

namespace linnet {

/// A tensor in the place of another, or the shape of one that has too many elements to be given.
struct TensorVariation {
  std::string what;
  Tensor value;
  std::optional<Shape> shape;
};

/// The dims that every dim becomes in turn.
inline constexpr int64_t kDims[] = {0, 1, int64_t{1} << 31, int64_t{1} << 62, std::numeric_limits<int64_t>::max()};

/// Empty, of other ranks, of other dtypes, with other dims, with other contents: all elements, or the last, are 0, -1,
/// the least, the greatest, no number, infinite, a large power of two; texts are none, long, no UTF-8, numbers.
std::vector<TensorVariation> variations(const Tensor& tensor);

/// The tensor with other dims, its elements over and over; nullopt where so many bytes cannot be.
std::optional<TensorVariation> with_shape(const Tensor& tensor, const Shape& shape);

}  // namespace linnet
