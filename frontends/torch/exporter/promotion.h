#pragma once

#include "linnet/dtype.h"

namespace linnet::exporter {

/// What PyTorch computes in where tensors and numbers meet: the highest category (bool, integers, floats, complex
/// numbers) decides, and in it tensors with axes before tensors of rank 0 before Python numbers.
/// Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
class Promotion {
 public:
  enum class Kind { kTensor, kRankZero, kNumber };

  void add(DType dtype, Kind kind);
  /// kUndefined where nothing was added.
  DType result() const;

 private:
  DType highest_[3] = {DType::kUndefined, DType::kUndefined, DType::kUndefined};  // by kind
};

/// The dtype of a sum of both: kUndefined gives way to any. Throws ExportError where PyTorch has none.
DType promoted(DType a, DType b);

}  // namespace linnet::exporter
