#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "linnet/tensor.h"

namespace linnet {

/// A tensor that replaces another, or the shape of one that has too many elements to allocate.
struct TensorVariation {
  std::string what;
  Tensor value;
  std::optional<Shape> shape;
};

/// The dims that replace every dim in turn.
inline constexpr int64_t kDims[] = {0, 1, int64_t{1} << 31, int64_t{1} << 62, std::numeric_limits<int64_t>::max()};

/// Returns variations: empty, of other ranks, of other dtypes, with other dims, with other contents. For contents, all
/// elements or only the last become 0, -1, the least, the greatest, NaN, infinite, a large power of two; texts become
/// empty, long, invalid UTF-8, numbers.
std::vector<TensorVariation> variations(const Tensor& tensor);

/// Returns the tensor with other dims and repeated elements, or nullopt if it would have too many bytes.
std::optional<TensorVariation> with_shape(const Tensor& tensor, const Shape& shape);

}  // namespace linnet
