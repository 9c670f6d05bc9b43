#include "files.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "arguments.h"
#include "linnet/error.h"

namespace linnet::python {
namespace {

/// Returns the type and the message of an exception, for example "ValueError: negative size".
std::string shown_exception(const nb::python_error& error) {
  return str(nb::type_name(error.type()).c_str(), ": ", nb::str(error.value()).c_str());
}

/// The memory of an object that supports the buffer protocol.
class View {
 public:
  explicit View(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) nb::raise_python_error();
  }
  ~View() { PyBuffer_Release(&view_); }
  View(const View&) = delete;

  size_t bytes() const { return size_t(view_.len); }
  const void* data() const { return view_.buf; }

 private:
  Py_buffer view_{};
};

}  // namespace

template <class F>
auto PythonFiles::asked(F&& f) {
  const nb::gil_scoped_acquire lock;
  try {
    return f();
  } catch (nb::python_error& error) {
    const std::string text = shown_exception(error);
    if (!first_) first_ = std::make_unique<nb::python_error>(std::move(error));
    throw Error(ErrorKind::kIo, text);
  }
}

PythonFiles::~PythonFiles() {
  const nb::gil_scoped_acquire lock;
  first_.reset();
  files_.reset();
}

int64_t PythonFiles::size(const std::string& name) {
  return asked([&] {
    const nb::object size = files_.attr("size")(name);
    const long long number = PyLong_AsLongLong(size.ptr());
    if (number == -1 && PyErr_Occurred()) nb::raise_python_error();
    return int64_t(number);
  });
}

size_t PythonFiles::read(const std::string& name, int64_t offset, std::span<std::byte> to) {
  return asked([&] {
    const nb::object bytes = files_.attr("read")(name, offset, to.size());
    const View view(bytes);
    std::memcpy(to.data(), view.data(), std::min(view.bytes(), to.size()));
    return view.bytes();
  });
}

void PythonFiles::raise_from_first(nb::handle exception, const char* message) {
  if (!first_) return;
  nb::python_error first = std::move(*std::exchange(first_, nullptr));
  if (!PyErr_GivenExceptionMatches(first.type().ptr(), PyExc_Exception)) throw std::move(first);
  nb::raise_from(first, exception, "%s", message);
}

}  // namespace linnet::python
