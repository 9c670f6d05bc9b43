#pragma once

#include <complex>
#include <string>
#include <variant>
#include <vector>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// The prefix of the name of a result that a rule has not set. It is followed by the place in the model that it comes
/// from.
inline constexpr const char* kUnset = "?";

/// None, a number, a text, a dtype or a tensor.
struct Concrete {
  std::variant<std::monostate, bool, int64_t, double, std::complex<double>, std::string, DType, TensorInfo> value{};

  bool is_none() const { return std::holds_alternative<std::monostate>(value); }
  bool is_tensor() const { return std::holds_alternative<TensorInfo>(value); }
  /// Throws ExportError if this is not a tensor.
  const TensorInfo& tensor() const;
  /// Return a number, or the only element of a constant tensor. Throw ExportError for all others.
  int64_t integer() const;
  double number() const;
  bool flag() const;
  const std::string& text() const;
  /// Returns the dtype that a tensor or number has in ONNX: int64 for int, float64 for float, bool. Throws ExportError
  /// for all others.
  DType dtype() const;
  /// Returns a tensor or number as a constant tensor. Throws ExportError for all others.
  Tensor as_tensor() const;
};

/// An argument or result of a call: a list, or a leaf with one concrete value for each example.
struct Value {
  List<Concrete> concrete{};  ///< of a leaf, by example
  std::string name{};         ///< the ONNX value of a leaf that depends on the model's inputs
  bool is_list = false;
  List<Value> elements{};  ///< of a list

  /// Whether no leaf in it depends on the model's inputs.
  bool constant() const;
  bool is_none() const { return !is_list && concrete[0].is_none(); }
  bool is_tensor() const { return !is_list && concrete[0].is_tensor(); }
  bool is_unset() const { return name.starts_with(kUnset); }
  const TensorInfo& tensor(size_t example = 0) const { return concrete[example].tensor(); }
};

/// Returns the size of a tensor's axis in each example.
Integers sizes_along(const Value& tensor, int64_t axis);
/// Whether the size differs between examples, so that the axis is dynamic.
bool size_differs(const Value& tensor, int64_t axis);

/// Calls visit(leaf) for all leaves.
template <class Visit>
void for_each_leaf(Value& value, const Visit& visit) {
  if (!value.is_list) return visit(value);
  for (Value& element : value.elements) for_each_leaf(element, visit);
}

}  // namespace linnet::exporter
