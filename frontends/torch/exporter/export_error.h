#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace linnet::exporter {

/// The model cannot be exported. The message states where and why.
class ExportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An operator cannot be expressed in the file's opset, only in a newer one.
class NeedsOpset : public ExportError {
 public:
  NeedsOpset(int64_t opset, const std::string& message) : ExportError(message), opset_(opset) {}
  int64_t opset() const { return opset_; }

 private:
  int64_t opset_;
};

/// A size that differs between runs was equal in all examples. Other examples may show where it matters.
class EqualSizes : public ExportError {
 public:
  using ExportError::ExportError;
};

/// PyTorch refuses an example that was tried.
class RefusedTry : public ExportError {
 public:
  RefusedTry(size_t evaluation, const std::string& message) : ExportError(message), evaluation_(evaluation) {}
  size_t evaluation() const { return evaluation_; }

 private:
  size_t evaluation_;
};

/// Concatenates the printed forms of its arguments.
template <class... T>
std::string text_of(const T&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace linnet::exporter
