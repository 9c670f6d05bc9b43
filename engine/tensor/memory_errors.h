#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "linnet/error.h"
#include "tensor/printable.h"

namespace linnet {

/// Calls f(), for an application: messages of Errors become printable, and begin with `subject` where there is one.
/// Where the system or a container of the standard library cannot give the memory that it asks for, throws
/// Error(kLimit): "not enough memory to run the model", `action` being "run the model"; "out of memory" where there is
/// none for that message. Other exceptions, of operators that are not Linnet's, become Error(kInternal).
template <class F>
decltype(auto) with_memory_errors(const char* action, F&& f, const std::string* subject = nullptr) {
  const auto shown = [&](const Error& error) { return printable(subject ? error.with_context(*subject) : error); };
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
    throw Error(ErrorKind::kLimit, "out of memory");  // which a string holds in itself
  }
}

}  // namespace linnet
