#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <string>

#include "linnet/options.h"

namespace linnet::python {

namespace nb = nanobind;

/// Calls an object with functions size(name) and read(name, offset, size), which linnet/files.py describes. Threads
/// that do not hold the interpreter's lock may call it.
class PythonFiles final : public ModelFiles {
 public:
  explicit PythonFiles(nb::object files) : files_(std::move(files)) {}
  ~PythonFiles() override;

  int64_t size(const std::string& name) override;
  size_t read(const std::string& name, int64_t offset, std::span<std::byte> to) override;

  /// If a function has raised an exception, raises that exception again if it is not an Exception (KeyboardInterrupt,
  /// for example), or else `exception` with this message and the first exception as its cause.
  void raise_from_first(nb::handle exception, const char* message);

 private:
  /// Returns f(). Throws Error(kIo) if it raises a Python exception.
  template <class F>
  auto asked(F&& f);

  nb::object files_;
  std::unique_ptr<nb::python_error> first_;  // the first exception that was raised
};

}  // namespace linnet::python
