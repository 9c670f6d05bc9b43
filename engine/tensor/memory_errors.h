#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "linnet/error.h"
#include "tensor/printable.h"

namespace linnet {

/// Calls f(), for an application: messages of Errors become printable. Where the system or a container of the standard
/// library cannot give the memory that it asks for, throws Error(kLimit): "not enough memory to run the model",
/// `action` being "run the model".
template <class F>
decltype(auto) with_memory_errors(const std::string& action, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw printable(error);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::kLimit, "not enough memory to " + action);
  } catch (const std::length_error&) {
    throw Error(ErrorKind::kLimit, "cannot " + action + ": a size is too large");
  }
}

}  // namespace linnet
