#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>

#include "linnet/model.h"

// Arguments of calls from Python, checked by the functions of linnet/options.py. An argument of another type raises
// TypeError, one out of range ValueError. Both name the argument.
namespace linnet::python {

namespace nb = nanobind;

/// Returns the type and the value, for example "int 5".
std::string shown(nb::handle value);
/// Returns a text for messages, in which invalid UTF-8 is escaped.
std::string text_of(nb::handle value);

/// Returns the name of an input, output or initializer.
std::string name_argument(const char* argument, nb::handle value);
/// Returns an integer of at least 0.
int64_t integer_argument(const char* argument, nb::handle value);
/// Returns nullopt for None.
std::optional<nb::dict> dict_argument(const char* argument, nb::handle value);
/// Returns nullptr for None.
std::shared_ptr<CancellationToken> cancellation_argument(nb::handle value);

}  // namespace linnet::python
