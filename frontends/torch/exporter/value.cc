#include "value.h"

#include <algorithm>
#include <numeric>

#include "constants.h"
#include "export_error.h"
#include "linnet/complex.h"

namespace linnet::exporter {
namespace {

/// Returns the only element of a constant tensor as a number of another kind.
template <class T>
T element_of(const TensorInfo& tensor) {
  if (!tensor.contents || tensor.contents.size() != 1) throw ExportError("a tensor is used as a number");
  if constexpr (std::is_same_v<T, double>) {
    return numbers_in(tensor.contents)[0];
  } else {
    return integers_in(tensor.contents)[0];
  }
}

}  // namespace

int64_t TensorInfo::numel() const {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1},
                         [](int64_t a, int64_t b) { return checked_mul(a, b); });
}

const TensorInfo& Concrete::tensor() const {
  if (const auto* tensor = std::get_if<TensorInfo>(&value)) return *tensor;
  throw ExportError("a value is used as a tensor, but is not one");
}

int64_t Concrete::integer() const {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<bool>(&value)) return *number;
  if (const auto* number = std::get_if<double>(&value)) return whole_part(*number);
  return element_of<int64_t>(tensor());
}

double Concrete::number() const {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return is_tensor() ? element_of<double>(tensor()) : double(integer());
}

bool Concrete::flag() const {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  return number() != 0;
}

const std::string& Concrete::text() const {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  throw ExportError("a value is used as a string, but is not one");
}

DType Concrete::dtype() const {
  if (is_tensor()) return tensor().dtype;
  if (std::holds_alternative<bool>(value)) return DType::kBool;
  if (std::holds_alternative<int64_t>(value)) return DType::kInt64;
  if (std::holds_alternative<double>(value)) return DType::kFloat64;
  if (std::holds_alternative<std::complex<double>>(value)) return DType::kComplex128;
  throw ExportError("neither a tensor nor a number is used as a value of an ONNX graph");
}

Tensor Concrete::as_tensor() const {
  if (is_tensor() && tensor().contents) return tensor().contents;
  if (const auto* number = std::get_if<std::complex<double>>(&value)) return Tensor::scalar(*number);
  return dtype() == DType::kFloat64 ? scalar_tensor(number(), DType::kFloat64)
                                    : converted(Tensor::scalar(integer()), dtype());
}

bool Value::constant() const {
  if (!is_list) return name.empty();
  return std::ranges::all_of(elements, &Value::constant);
}

Integers sizes_along(const Value& tensor, int64_t axis) {
  Integers sizes;
  for (const Concrete& one : tensor.concrete) sizes.push_back(one.tensor().size(axis));
  return sizes;
}

bool size_differs(const Value& tensor, int64_t axis) {
  const Integers sizes = sizes_along(tensor, axis);
  return std::ranges::any_of(sizes, [&](int64_t size) { return size != sizes[0]; });
}

}  // namespace linnet::exporter
