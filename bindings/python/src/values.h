#pragma once

#include <nanobind/nanobind.h>

#include "linnet/fact.h"

namespace linnet::python {

namespace nb = nanobind;

/// Converts a Python value to a tensor that meets `fact`:
///  - an array of that dtype from any library with DLPack or the buffer protocol: shared in C order, else copied
///  - numbers and nested lists
///  - str or bytes for strings
///  - a list for a sequence, a dict for a map, None for an optional without a value
/// Throws Error(kType or kShape), whose message begins with `what`. The tensor keeps the array alive and its memory in
/// place.
Tensor to_tensor(nb::handle value, const Fact& fact, const std::string& what);

/// Converts an array of any dtype. Throws Error(kType) if ONNX has no such dtype.
Tensor to_tensor(nb::handle array, const std::string& what);

/// Returns the memory of a NumPy array as a tensor to which an output that meets `fact` is written. If the value is not
/// an array, has another dtype, is read-only or is not in C order, throws Error(kType), whose message begins with
/// `what`.
Tensor output_memory(nb::handle array, const Fact& fact, const std::string& what);

/// Returns a tensor as a NumPy array that shares its memory, and containers in the form that to_tensor() accepts.
nb::object to_python(const Tensor& tensor);

}  // namespace linnet::python
