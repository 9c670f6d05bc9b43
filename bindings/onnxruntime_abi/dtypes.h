#pragma once

#include <string>

#include "abi.h"
#include "linnet/fact.h"

namespace linnet::ort {

/// The number of a dtype in the C ABI: other than ONNX's from 24 on. kUndefinedElement where it has none.
ElementType element_type(DType dtype);

/// Throws Failure(kNotImplemented) for a number that is no element type or one of complex numbers.
DType dtype_of(ElementType type);

/// "{2,3}": as messages of ONNX Runtime print shapes.
std::string shape_text(const Shape& shape);

/// "tensor(float)", "seq(tensor(int64))", "map(int64,tensor(float))": as messages of ONNX Runtime name types.
std::string type_text(const Fact& fact);

}  // namespace linnet::ort
