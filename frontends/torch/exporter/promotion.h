#pragma once

#include "linnet/dtype.h"

namespace linnet::exporter {

/// The dtype that PyTorch computes in for several tensors and numbers. The highest category (bool, integers, floats,
/// complex numbers) decides. Within it, tensors with axes precede tensors of rank 0, which precede Python numbers.
/// Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
class Promotion {
 public:
  enum class Kind { kTensor, kRankZero, kNumber };

  void add(DType dtype, Kind kind);
  /// Returns kUndefined if nothing was added.
  DType result() const;

 private:
  DType highest_[3] = {DType::kUndefined, DType::kUndefined, DType::kUndefined};  // by kind
};

/// Returns the dtype of a sum of both. If one is kUndefined, returns the other. Throws ExportError if PyTorch has no
/// such dtype.
DType promoted(DType a, DType b);

}  // namespace linnet::exporter
