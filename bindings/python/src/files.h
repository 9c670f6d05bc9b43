#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <string>

#include "linnet/options.h"

namespace linnet::python {

namespace nb = nanobind;

/// An object with functions size(name) and read(name, offset, size), which linnet/files.py describes. Threads without
/// the interpreter's lock call it.
class PythonFiles final : public ModelFiles {
 public:
  explicit PythonFiles(nb::object files) : files_(std::move(files)) {}
  ~PythonFiles() override;

  int64_t size(const std::string& name) override;
  size_t read(const std::string& name, int64_t offset, std::span<std::byte> to) override;

  /// Where a function has raised: raises that again where it is to end the program, as KeyboardInterrupt is, else
  /// `exception` with this message, from it.
  void raise_from_first(nb::handle exception, const char* message);

 private:
  /// What f() returns; Error(kIo) where a function raises.
  template <class F>
  auto asked(F&& f);

  nb::object files_;
  std::unique_ptr<nb::python_error> first_;  // that was raised
};

}  // namespace linnet::python
