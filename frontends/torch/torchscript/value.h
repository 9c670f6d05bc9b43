#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <memory>
#include <string>
#include <vector>

#include "exporter/value.h"

namespace linnet::exporter::torchscript {

struct Container;

/// A value of the TorchScript graph in one or more evaluations at once. It is a container (list, tuple, dict), or a
/// leaf with one concrete value per evaluation. A leaf is a constant, or has the name of an ONNX value.
struct Value {
  std::vector<c10::IValue> concrete;     ///< of a leaf, by evaluation
  std::string name;                      ///< the ONNX value of a leaf that depends on the model's inputs
  std::shared_ptr<Container> container;  ///< lists and dicts are references: copies share it
  bool of_contents = false;  ///< depends on contents of the inputs: a number, or the sizes of a tensor with axes

  /// Whether no leaf in it depends on the model's inputs.
  bool constant() const;
  bool is_container() const { return container != nullptr; }
  bool is_tensor() const { return !container && concrete[0].isTensor(); }
  bool is_unset() const { return name.starts_with(kUnset); }
  bool is_none() const { return !container && concrete[0].isNone(); }
  const at::Tensor& tensor(size_t evaluation = 0) const { return concrete[evaluation].toTensor(); }
  /// Whether all evaluations have the same value. Tensors are compared by contents.
  bool agrees() const;
};

struct Container {
  std::vector<Value> elements;
  std::vector<c10::IValue> keys;  ///< of a dict, as many as elements
};

Value make_container(std::vector<Value> elements, std::vector<c10::IValue> keys = {});

/// Returns constants, one concrete value per evaluation. Lists, tuples and dicts become containers of leaves.
/// Throws ExportError if containers differ in length between evaluations.
Value make_constant(const std::vector<c10::IValue>& concrete);

/// Returns the value of one evaluation, for PyTorch's operators.
c10::IValue to_ivalue(const Value& value, const c10::TypePtr& type, size_t evaluation);

/// Returns the size of a tensor's axis in each evaluation.
std::vector<int64_t> sizes_along(const Value& tensor, int64_t axis);
/// Whether the size differs between evaluations, so that the axis is dynamic.
bool size_differs(const Value& tensor, int64_t axis);

/// Returns the number of dynamic axes of a tensor.
size_t dynamic_axes(const Value& tensor);
/// Whether the rank is the same in all evaluations.
bool has_one_rank(const Value& tensor);

/// Returns the dtype that a tensor or number has in ONNX: int64 for int, float64 for float, bool.
DType dtype_of(const c10::IValue& leaf);

/// Returns a bool, or the bool that a tensor contains.
bool is_true(const c10::IValue& value);

/// Calls visit(leaf) for all leaves.
template <class Visit>
void for_each_leaf(Value& value, const Visit& visit) {
  if (!value.container) return visit(value);
  for (Value& element : value.container->elements) for_each_leaf(element, visit);
}

}  // namespace linnet::exporter::torchscript
