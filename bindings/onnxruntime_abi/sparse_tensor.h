#pragma once

#include <vector>

#include "abi.h"
#include "linnet/tensor.h"

namespace linnet::ort {

/// The elements of a tensor that are not zero, and where they are.
struct SparseTensor {
  DType dtype;
  Shape shape;  ///< of the dense tensor
  SparseFormat format = kUndefinedSparse;
  Tensor values{};
  /// int64, but of kBlockSparse int32. kCsr: the columns, then the offsets of the rows.
  std::vector<Tensor> indices{};
};

}  // namespace linnet::ort
