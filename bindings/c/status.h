#pragma once

#include <string>

#include "linnet.h"
#include "linnet/error.h"

namespace linnet::c_api {

/// An invalid argument of a call: LINNET_ERROR_ARGUMENT.
class ArgumentError final : public std::exception {
 public:
  explicit ArgumentError(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// Throws ArgumentError unless `valid`.
inline void require(bool valid, const char* message) {
  if (!valid) throw ArgumentError(message);
}

/// The calling thread's last error message; "" after forget_error().
const char* last_error() noexcept;
void forget_error() noexcept;
linnet_status fail(linnet_status status, const char* message) noexcept;
/// For use in a catch block: makes the exception's message last_error() and returns its status.
linnet_status fail_by_exception() noexcept;
/// The exception for a callback that returned a status other than LINNET_OK and set last_error().
Error error_of(linnet_status status);

/// The body of every function of the API that can fail. No exception leaves it.
template <class F>
linnet_status guarded(F&& f) noexcept {
  try {
    f();
    return LINNET_OK;
  } catch (...) {
    return fail_by_exception();
  }
}

/// Calls f(); errors begin with "place: ".
template <class F>
void with_place(const std::string& place, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    throw error.with_context(place);
  } catch (const ArgumentError& error) {
    throw ArgumentError(place + ": " + error.what());
  }
}

/// Calls a function that a user of the API wrote. Throws an Error for the status if that is not LINNET_OK.
template <class F>
void call_back(F&& f) {
  forget_error();
  const linnet_status status = f();
  if (status != LINNET_OK) throw error_of(status);
}

}  // namespace linnet::c_api
