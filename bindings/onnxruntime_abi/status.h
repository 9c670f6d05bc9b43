#pragma once

#include <string>

#include "abi.h"
#include "linnet/error.h"

namespace linnet::ort {

struct Status {
  ErrorCode code;
  std::string message;
};

/// What a callback of a client failed with, on its way through the engine: no std::exception, which that would turn
/// into an Error without the code.
struct ClientFailure {
  ErrorCode code;
  std::string message;
};

/// Throws Failure(kInvalidArgument) unless `valid`.
inline void require(bool valid, const char* message) {
  if (!valid) throw Failure(kInvalidArgument, message);
}

/// What an argument that must not be NULL points to. Throws Failure(kInvalidArgument), which names it.
template <class T>
T& valid(T* argument, const char* name) {
  if (!argument) throw Failure(kInvalidArgument, str(name, " must not be NULL"));
  return *argument;
}

/// The text of an argument that must not be NULL.
inline const char* text(const char* argument, const char* name) { return &valid(argument, name); }

/// The same where ONNX Runtime makes a copy first, and reports kRuntimeException.
inline const char* copied_text(const char* argument) {
  if (!argument) throw Failure(kRuntimeException, "a text to be copied must not be NULL");
  return argument;
}

/// A status on the heap; one that needs no memory where there is none.
Status* make_status(ErrorCode code, const char* message) noexcept;

/// In a catch block: the status of the exception.
Status* status_of_exception() noexcept;

/// Throws what a status that a client's callback returned says, and frees it; nullptr: no error.
void throw_status(Status* status);

/// The same for a callback that the engine calls: throws ClientFailure, its message behind `context`.
void throw_client_status(Status* status, const std::string& context);

/// The body of every function of the table that can fail: no exception leaves it.
template <class F>
Status* guarded(F&& f) noexcept {
  try {
    f();
    return nullptr;
  } catch (...) {
    return status_of_exception();
  }
}

/// The same for functions that return something else, `fallback` where they fail.
template <class T, class F>
T guarded_value(T fallback, F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    return fallback;
  }
}

/// Stores what make() returns, an object on the heap, in *created.
template <class T, class Make>
Status* create(T** created, Make&& make) noexcept {
  return guarded([&] {
    T*& result = valid(created, "the place of the result");
    result = nullptr;
    result = make();
  });
}

}  // namespace linnet::ort
