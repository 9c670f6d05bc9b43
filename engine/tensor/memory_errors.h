#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "linnet/error.h"
#include "tensor/printable.h"

namespace linnet {

/// Calls f() for an application. Messages of Errors become printable and begin with `subject` if there is one that they
/// do not name. If the system or a standard container cannot allocate memory, throws Error(kLimit): "not enough memory
/// to run the model", where `action` is "run the model", or "out of memory" if there is no memory for that message.
/// Other exceptions, from operators that are not Linnet's, become Error(kInternal).
template <class F>
decltype(auto) with_memory_errors(const char* action, F&& f, const std::string* subject = nullptr) {
  const auto shown = [&](const Error& error) {
    const bool named = !subject || error.message().find(str("'", *subject, "'")) != std::string::npos;
    return printable(named ? error : error.with_context(*subject));
  };
  try {
    try {
      return f();
    } catch (const Error& error) {
      throw shown(error);
    } catch (const std::bad_alloc&) {
      throw shown(Error(ErrorKind::kLimit, std::string("not enough memory to ") + action));
    } catch (const std::length_error&) {
      throw shown(Error(ErrorKind::kLimit, std::string("cannot ") + action + ": a size is too large"));
    } catch (const std::exception& error) {
      throw shown(Error(ErrorKind::kInternal, std::string("cannot ") + action + ": " + error.what()));
    }
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::kLimit, "out of memory");  // short enough that the string allocates nothing
  }
}

}  // namespace linnet
