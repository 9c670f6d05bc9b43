#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "linnet/model.h"

// Arguments of calls from Python, checked by the functions of linnet/options.py: of another type they are a TypeError,
// out of range a ValueError; both name the argument.
namespace linnet::python {

namespace nb = nanobind;

/// "int 5"
std::string shown(nb::handle value);
/// A text for messages; what is no UTF-8 is escaped.
std::string text_of(nb::handle value);

/// The name of an input, output or initializer.
std::string name_argument(const char* argument, nb::handle value);
/// From 0 on.
int64_t integer_argument(const char* argument, nb::handle value);
/// Empty where it is None.
nb::dict dict_argument(const char* argument, nb::handle value);
/// nullptr where it is None.
std::shared_ptr<CancellationToken> cancellation_argument(nb::handle value);

}  // namespace linnet::python
