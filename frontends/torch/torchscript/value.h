#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <memory>
#include <string>
#include <vector>

#include "exporter/value.h"

namespace linnet::exporter::torchscript {

struct Container;

/// A value of the TorchScript graph, followed through one or more evaluations at once.
/// It is a container (list, tuple, dict), or a leaf with one concrete value per evaluation: a constant, or named.
struct Value {
  std::vector<c10::IValue> concrete;     ///< of a leaf, by evaluation
  std::string name;                      ///< the ONNX value of a leaf that depends on the model's inputs
  std::shared_ptr<Container> container;  ///< lists and dicts are references: copies share it
  bool of_contents = false;  ///< contents of the inputs decide on it: on a number, on the sizes of a tensor with axes

  /// No leaf in it depends on the model's inputs.
  bool constant() const;
  bool is_container() const { return container != nullptr; }
  bool is_tensor() const { return !container && concrete[0].isTensor(); }
  bool is_unset() const { return name.starts_with(kUnset); }
  bool is_none() const { return !container && concrete[0].isNone(); }
  const at::Tensor& tensor(size_t evaluation = 0) const { return concrete[evaluation].toTensor(); }
  /// All evaluations have the same value; tensors are compared by contents.
  bool agrees() const;
};

struct Container {
  std::vector<Value> elements;
  std::vector<c10::IValue> keys;  ///< of a dict, as many as elements
};

Value make_container(std::vector<Value> elements, std::vector<c10::IValue> keys = {});

/// Constants, one concrete value per evaluation; lists, tuples and dicts become containers of leaves.
/// Throws ExportError where containers differ in length between evaluations.
Value make_constant(const std::vector<c10::IValue>& concrete);

/// The value of one evaluation, for the operators of PyTorch.
c10::IValue to_ivalue(const Value& value, const c10::TypePtr& type, size_t evaluation);

/// The size of a tensor's axis, by evaluation.
std::vector<int64_t> sizes_along(const Value& tensor, int64_t axis);
/// It is not the same in all evaluations: the axis is dynamic.
bool size_differs(const Value& tensor, int64_t axis);

/// How many axes of a tensor are dynamic.
size_t dynamic_axes(const Value& tensor);
/// The rank is the same in all evaluations.
bool has_one_rank(const Value& tensor);

/// The dtype that a tensor or number has in ONNX: int64 for int, float64 for float, bool.
DType dtype_of(const c10::IValue& leaf);

/// A bool, or a tensor that holds one.
bool is_true(const c10::IValue& value);

/// Calls visit(leaf) for all leaves.
template <class Visit>
void for_each_leaf(Value& value, const Visit& visit) {
  if (!value.container) return visit(value);
  for (Value& element : value.container->elements) for_each_leaf(element, visit);
}

}  // namespace linnet::exporter::torchscript
