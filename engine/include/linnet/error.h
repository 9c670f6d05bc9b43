#pragma once

#include <exception>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "linnet/export.h"

namespace linnet {

/// The kind of an error, for callers that react differently to each.
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

/// The only exception type that Linnet throws. Each layer adds its context once, outermost first:
/// "model.onnx: Conv 'conv1' (opset 14): input W must be ...".
class LINNET_API Error : public std::exception {
 public:
  /// An error with a message for a user: what is wrong, where, what was given, what would be right.
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  /// The kind and the message, which what() returns too; valid as long as the error.
  ErrorKind kind() const noexcept { return kind_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

  /// The same error with "context: " before its message.
  Error with_context(const std::string& context) const { return {kind_, context + ": " + message_}; }

 private:
  ErrorKind kind_;
  std::string message_;
};

/// A reference to a value, which must outlive it, and the function that prints the value.
class LINNET_API Printable {
 public:
  explicit Printable(const char* text) : value_(text), print_(print_text) {}
  template <class T>
  explicit Printable(const T& value) : value_(&value), print_(print_value<T>) {}

  void print(std::ostream& out) const { print_(out, value_); }

 private:
  // std::ostream may be incomplete here.
  static void print_text(std::ostream& out, const void* text);
  static void print_string(std::ostream& out, std::string_view text);
  static void print_number(std::ostream& out, long long number);
  static void print_number(std::ostream& out, unsigned long long number);
  static void print_number(std::ostream& out, double number);

  template <class T>
  static void print_value(std::ostream& out, const void* pointer) {
    const T& value = *static_cast<const T*>(pointer);
    if constexpr (std::is_floating_point_v<T>) {
      print_number(out, double(value));
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 1 && !std::is_same_v<T, bool>) {
      const char text = char(value);  // bytes are printed as characters
      print_string(out, {&text, 1});
    } else if constexpr (std::is_integral_v<T>) {
      using Widest = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
      print_number(out, Widest(value));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      print_string(out, value);
    } else {
      out << value;
    }
  }

  const void* value_;
  void (*print_)(std::ostream& out, const void* value);
};

LINNET_API std::string concatenated(std::initializer_list<Printable> parts);

/// Concatenates the printed forms of its arguments: str("got ", 3, " dims"). The code is compiled once per printed
/// type, not once per list of types.
template <class... T>
std::string str(const T&... parts) {
  return concatenated({Printable(parts)...});
}

}  // namespace linnet
