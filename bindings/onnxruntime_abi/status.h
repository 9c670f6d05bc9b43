#pragma once

#include <string>

#include "abi.h"
#include "linnet/error.h"

namespace linnet::ort {

struct Status {
  ErrorCode code;
  std::string message;
};

/// The failure of a client's callback, on its way through the engine. It is not a std::exception because the engine
/// would convert that to an Error, without the code.
struct ClientFailure {
  ErrorCode code;
  std::string message;
};

/// Throws Failure(kInvalidArgument) unless `valid`.
inline void require(bool valid, const char* message) {
  if (!valid) throw Failure(kInvalidArgument, message);
}

/// Returns the object that an argument points to. Throws Failure(kInvalidArgument), which names the argument, if it is
/// NULL.
template <class T>
T& valid(T* argument, const char* name) {
  if (!argument) throw Failure(kInvalidArgument, str(name, " must not be NULL"));
  return *argument;
}

/// Returns a text argument. Throws Failure(kInvalidArgument) if it is NULL.
inline const char* text(const char* argument, const char* name) { return &valid(argument, name); }

/// Does the same where ONNX Runtime copies the text first: throws Failure(kRuntimeException).
inline const char* copied_text(const char* argument) {
  if (!argument) throw Failure(kRuntimeException, "a text to be copied must not be NULL");
  return argument;
}

/// Returns a status on the heap, or a static status if there is no memory.
Status* make_status(ErrorCode code, const char* message) noexcept;

/// Returns the status of the current exception, in a catch block.
Status* status_of_exception() noexcept;

/// Throws the failure in a status that a client's callback returned, and frees the status. nullptr: no error.
void throw_status(Status* status);

/// Does the same for a callback that the engine calls: throws ClientFailure, whose message begins with `context`.
void throw_client_status(Status* status, const std::string& context);

/// Runs the body of a function of the table that can fail. No exception leaves it.
template <class F>
Status* guarded(F&& f) noexcept {
  try {
    f();
    return nullptr;
  } catch (...) {
    return status_of_exception();
  }
}

/// Does the same for functions that return another type. Returns `fallback` if they fail.
template <class T, class F>
T guarded_value(T fallback, F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    return fallback;
  }
}

/// Stores the result of make(), an object on the heap, in *created.
template <class T, class Make>
Status* create(T** created, Make&& make) noexcept {
  return guarded([&] {
    T*& result = valid(created, "the place of the result");
    result = nullptr;
    result = make();
  });
}

}  // namespace linnet::ort
