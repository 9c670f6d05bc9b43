#pragma once

#include <vector>

#include "abi.h"
#include "linnet/tensor.h"

namespace linnet::ort {

/// The non-zero elements of a tensor, and their positions.
struct SparseTensor {
  DType dtype;
  Shape shape;  ///< of the dense tensor
  SparseFormat format = kUndefinedSparse;
  Tensor values{};
  /// int64; int32 for kBlockSparse. For kCsr: the columns, then the offsets of the rows.
  std::vector<Tensor> indices{};
};

}  // namespace linnet::ort
