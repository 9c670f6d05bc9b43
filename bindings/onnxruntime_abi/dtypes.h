#pragma once

#include <string>

#include "abi.h"
#include "linnet/fact.h"

namespace linnet::ort {

/// Returns the number of a dtype in the C ABI, which differs from ONNX's from 24 on, or kUndefinedElement if it has no
/// number.
ElementType element_type(DType dtype);

/// Throws Failure(kNotImplemented) for an unknown number and for complex types.
DType dtype_of(ElementType type);

/// Returns a shape in the form of ONNX Runtime's messages: "{2,3}".
std::string shape_text(const Shape& shape);

/// Returns a type in the form of ONNX Runtime's messages: "tensor(float)", "seq(tensor(int64))",
/// "map(int64,tensor(float))".
std::string type_text(const Fact& fact);

}  // namespace linnet::ort
