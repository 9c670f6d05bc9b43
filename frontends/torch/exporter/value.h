#pragma once

#include <complex>
#include <string>
#include <variant>
#include <vector>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// How the name of a result begins that a rule has not set; after it comes where in the model it stems from.
inline constexpr const char* kUnset = "?";

/// None, a number, a text, a dtype or a tensor.
struct Concrete {
  std::variant<std::monostate, bool, int64_t, double, std::complex<double>, std::string, DType, TensorInfo> value{};

  bool is_none() const { return std::holds_alternative<std::monostate>(value); }
  bool is_tensor() const { return std::holds_alternative<TensorInfo>(value); }
  /// Throws ExportError for all others.
  const TensorInfo& tensor() const;
  /// A number, or the one element of a constant tensor. Throw ExportError for all others.
  int64_t integer() const;
  double number() const;
  bool flag() const;
  const std::string& text() const;
  /// That a tensor or number has in ONNX: int64 for int, float64 for float, bool. Throws ExportError for all others.
  DType dtype() const;
  /// A tensor or number as a constant tensor. Throws ExportError for all others.
  Tensor as_tensor() const;
};

/// An argument or result of a call: a list, or a leaf with one concrete value for each example.
struct Value {
  List<Concrete> concrete{};  ///< of a leaf, by example
  std::string name{};         ///< the ONNX value of a leaf that depends on the model's inputs
  bool is_list = false;
  List<Value> elements{};  ///< of a list

  /// No leaf in it depends on the model's inputs.
  bool constant() const;
  bool is_none() const { return !is_list && concrete[0].is_none(); }
  bool is_tensor() const { return !is_list && concrete[0].is_tensor(); }
  bool is_unset() const { return name.starts_with(kUnset); }
  const TensorInfo& tensor(size_t example = 0) const { return concrete[example].tensor(); }
};

/// The size of a tensor's axis, by example.
Integers sizes_along(const Value& tensor, int64_t axis);
/// It is not the same in all examples: the axis is dynamic.
bool size_differs(const Value& tensor, int64_t axis);

/// Calls visit(leaf) for all leaves.
template <class Visit>
void for_each_leaf(Value& value, const Visit& visit) {
  if (!value.is_list) return visit(value);
  for (Value& element : value.elements) for_each_leaf(element, visit);
}

}  // namespace linnet::exporter
