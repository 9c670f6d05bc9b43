#pragma once

#include <nanobind/nanobind.h>

namespace linnet::python {

/// Defines the functions that read and write the contents of ONNX Runtime's adapters.
void define_adapters(nanobind::module_& module);

}  // namespace linnet::python
