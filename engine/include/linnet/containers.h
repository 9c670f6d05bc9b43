#pragma once

#include <vector>

#include "linnet/tensor.h"

// The values of ONNX that are not tensors. Each is the only element of a Tensor of shape [] and of the dtype kSequence,
// kOptional or kMap: Tensor::scalar(Sequence{...}), tensor.data<Sequence>()->elements.
// Source: https://onnx.ai/onnx/repo-docs/IR.html#optional-type
namespace linnet {

/// A list of values of one type: tensors (their shapes may differ), sequences, optionals or maps. The values own their
/// memory and do not change once they are elements, so copies of a sequence share them.
struct Sequence {
  std::vector<Tensor> elements;  ///< in order
};

/// A value or nothing.
struct Optional {
  Tensor value;  ///< an empty Tensor where there is nothing
};

/// Key i, of dtype int64 or string, belongs to value i: two tensors of shape [n].
struct Map {
  Tensor keys, values;  ///< of the same length
};

/// The dtypes of these values.
template <>
inline constexpr DType dtype_of<Sequence> = DType::kSequence;
template <>
inline constexpr DType dtype_of<Optional> = DType::kOptional;
template <>
inline constexpr DType dtype_of<Map> = DType::kMap;

}  // namespace linnet
