#include "arguments.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace linnet::python {
namespace {

template <class... More>
nb::object checked(const char* function, const char* argument, nb::handle value, More... more) {
  return nb::module_::import_("linnet.options").attr(function)(argument, value, more...);
}

}  // namespace

std::string shown(nb::handle value) {
  return nb::cast<std::string>(nb::module_::import_("linnet.options").attr("shown")(value));
}

std::string text_of(nb::handle value) {
  const nb::object bytes = nb::str(value).attr("encode")("utf-8", "backslashreplace");
  return nb::cast<nb::bytes>(bytes).c_str();
}

std::string name_argument(const char* argument, nb::handle value) {
  return text_of(PyUnicode_Check(value.ptr()) ? nb::borrow(value) : checked("text", argument, value));
}

int64_t integer_argument(const char* argument, nb::handle value) {
  return nb::cast<int64_t>(checked("integer", argument, value));
}

std::optional<nb::dict> dict_argument(const char* argument, nb::handle value) {
  if (value.is_none()) return std::nullopt;
  return nb::cast<nb::dict>(PyDict_Check(value.ptr()) ? nb::borrow(value) : checked("mapping", argument, value));
}

std::shared_ptr<CancellationToken> cancellation_argument(nb::handle value) {
  if (value.is_none()) return nullptr;
  if (!nb::isinstance<CancellationToken>(value)) {
    checked("instance", "cancellation", value, nb::type<CancellationToken>());
  }
  return nb::cast<std::shared_ptr<CancellationToken>>(value);
}

}  // namespace linnet::python
