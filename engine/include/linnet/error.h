#pragma once

#include <exception>
#include <sstream>
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

/// Concatenates the printed forms of its arguments: str("got ", 3, " dims").
template <class... T>
std::string str(const T&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace linnet
