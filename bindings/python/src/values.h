#pragma once

#include <nanobind/nanobind.h>

#include "linnet/fact.h"

namespace linnet::python {

namespace nb = nanobind;

/// A Python value as a tensor that meets `fact`: an array of that dtype without a copy where it lies in C order (one of
/// NumPy, or of any library that knows DLPack or the buffer protocol), else a copy of it; numbers and nested lists; str
/// or bytes for strings; a list for a sequence, a dict for a map, None for an optional without a value. Throws
/// Error(kType, kShape) that begins with `what`. The tensor keeps the array alive and its memory in place.
Tensor to_tensor(nb::handle value, const Fact& fact, const std::string& what);

/// The same of an array's own dtype. Throws Error(kType) where ONNX has none like it.
Tensor to_tensor(nb::handle array, const std::string& what);

/// The memory of a NumPy array as a tensor that an output which meets `fact` is written to. Throws Error(kType) that
/// begins with `what` where it is another kind of object, of another dtype, read-only or not in C order.
Tensor output_memory(nb::handle array, const Fact& fact, const std::string& what);

/// A tensor as a NumPy array that shares its memory, and containers as to_tensor() takes them.
nb::object to_python(const Tensor& tensor);

}  // namespace linnet::python
