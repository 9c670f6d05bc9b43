#pragma once

#include <linnet/onnx.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

/// A tensor of equal values.
inline linnet::Tensor constant_tensor(linnet::DType dtype, const linnet::Shape& shape, int value) {
  linnet::Tensor tensor(dtype, shape);
  const auto fill = [&]<class T>(T number) { std::fill_n(tensor.data<T>(), tensor.size(), number); };
  switch (dtype) {
    case linnet::DType::kFloat32:
      fill(float(value));
      break;
    case linnet::DType::kFloat64:
      fill(double(value));
      break;
    case linnet::DType::kInt64:
      fill(int64_t(value));
      break;
    case linnet::DType::kInt32:
      fill(int32_t(value));
      break;
    case linnet::DType::kInt8:
      fill(int8_t(value));
      break;
    case linnet::DType::kUint8:
      fill(uint8_t(value));
      break;
    case linnet::DType::kBool:
      fill(value != 0);
      break;
    default:
      throw std::invalid_argument(linnet::str("this example makes no inputs of ", dtype));
  }
  return tensor;
}

/// An input of each kind that a model takes, with equal values; dims that it leaves open are 1. Throws
/// std::invalid_argument for inputs of other dtypes than the usual ones, or of unknown rank.
inline std::vector<linnet::Tensor> constant_inputs(const linnet::Model& model, int value) {
  std::vector<linnet::Tensor> inputs;
  for (const linnet::ValueInfo& input : model.inputs()) {
    if (!input.fact.has_rank()) throw std::invalid_argument("the rank of input '" + input.name + "' is not known");
    linnet::Shape shape;
    for (int i = 0; i < input.fact.rank(); ++i) {
      shape.push_back(input.fact.dim(i).known() ? input.fact.dim(i).value() : 1);
    }
    inputs.push_back(constant_tensor(input.fact.dtype, shape, value));
  }
  return inputs;
}
