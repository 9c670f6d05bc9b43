#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "linnet/tensor.h"

// NumPy's arrays by the interface that its C extensions use, without calls of Python functions. Every function returns
// nothing where it does not apply, or where the installed NumPy has another interface than 1.x and 2.x.
namespace linnet::python {

namespace nb = nanobind;

/// The memory of an ndarray of the dtype, not of a subclass, that is aligned and in C order. The tensor keeps the array
/// alive; a thread without the interpreter's lock may destroy it. With `writable`, read-only arrays do not apply.
std::optional<Tensor> tensor_of_array(nb::handle array, DType dtype, bool writable);

/// Returns an ndarray that shares the tensor's memory and keeps it alive; an invalid object if NumPy itself does not
/// have the dtype.
nb::object array_of_tensor(const Tensor& tensor);

}  // namespace linnet::python
