#include "dtypes.h"

#include "status.h"

namespace linnet::ort {
namespace {

struct Renumbered {
  DType dtype;
  int number;
};
// The C ABI numbers them in the order in which they were added to it.
constexpr Renumbered kRenumbered[] = {{DType::kUint2, 24}, {DType::kInt2, 25}, {DType::kFloat8E8M0, 26}};

std::string element_name(DType dtype) {
  if (dtype == DType::kFloat32) return "float";
  if (dtype == DType::kFloat64) return "double";
  return std::string(dtype_name(dtype));
}

}  // namespace

ElementType element_type(DType dtype) {
  for (const Renumbered& entry : kRenumbered) {
    if (entry.dtype == dtype) return ElementType(entry.number);
  }
  return dtype <= DType::kFloat4E2M1 ? ElementType(int(dtype)) : kUndefinedElement;
}

DType dtype_of(ElementType type) {
  for (const Renumbered& entry : kRenumbered) {
    if (entry.number == type) return entry.dtype;
  }
  const auto dtype = DType(int(type));
  const bool is_complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  if (type <= 0 || dtype > DType::kFloat4E2M1 || is_complex) {
    throw Failure(kNotImplemented, str("tensor type ", int(type), " is not supported"));
  }
  return dtype;
}

std::string shape_text(const Shape& shape) {
  std::string text;
  for (const int64_t dim : shape) text += str(text.empty() ? "" : ",", dim);
  return str("{", text, "}");
}

std::string type_text(const Fact& fact) {
  switch (fact.dtype) {
    case DType::kSequence:
      return str("seq(", fact.element ? type_text(*fact.element) : "", ")");
    case DType::kOptional:
      return str("optional(", fact.element ? type_text(*fact.element) : "", ")");
    case DType::kMap:
      return str("map(", element_name(fact.key), ",", fact.element ? type_text(*fact.element) : "", ")");
    default:
      return str("tensor(", element_name(fact.dtype), ")");
  }
}

}  // namespace linnet::ort
