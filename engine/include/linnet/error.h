#pragma once

#include <exception>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <utility>

#include "linnet/export.h"

namespace linnet {

/// What went wrong, for callers that react differently.
enum class ErrorKind {
  kModel,        ///< the model file or graph is malformed
  kUnsupported,  ///< valid, but not supported by this build: operator, opset, type, instruction set
  kType,         ///< a dtype or value kind that does not fit
  kShape,        ///< a rank or dimension that does not fit
  kIo,           ///< a file cannot be read or written
  kLimit,        ///< a limit on memory, size, depth or time was hit
  kCancelled,    ///< the caller cancelled the run
  kInternal,     ///< a bug in Linnet
};

/// The one exception type. Each layer adds its context once, outermost first:
/// "model.onnx: Conv 'conv1' (opset 14): input W must be ...".
class LINNET_API Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  ErrorKind kind() const noexcept { return kind_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

  /// The same error with "context: " in front of its message.
  Error with_context(const std::string& context) const { return {kind_, context + ": " + message_}; }

 private:
  ErrorKind kind_;
  std::string message_;
};

/// A value that outlives this, and how it is printed.
class LINNET_API Printable {
 public:
  explicit Printable(const char* text) : value_(text), print_(print_text) {}
  template <class T>
  explicit Printable(const T& value) : value_(&value), print_(print_value<T>) {}

  void print(std::ostream& out) const { print_(out, value_); }

 private:
  static void print_text(std::ostream& out, const void* text);
  template <class T>
  static void print_value(std::ostream& out, const void* value) {
    out << *static_cast<const T*>(value);
  }

  const void* value_;
  void (*print_)(std::ostream& out, const void* value);
};

LINNET_API std::string concatenated(std::initializer_list<Printable> parts);

/// Concatenates the printed forms of its arguments: str("got ", 3, " dims"). Compiled for each type that is printed,
/// not for each list of types. Whoever calls it includes <ostream>, as linnet/op.h does.
template <class... T>
std::string str(const T&... parts) {
  return concatenated({Printable(parts)...});
}

}  // namespace linnet
