#include "status.h"

#include <new>
#include <stdexcept>

#include "linnet/version.h"

namespace linnet::c_api {
namespace {

static_assert(int(ErrorKind::kModel) + 1 == LINNET_ERROR_MODEL);
static_assert(int(ErrorKind::kInternal) + 1 == LINNET_ERROR_INTERNAL);

std::string& message() noexcept {
  thread_local std::string text;
  return text;
}

}  // namespace

const char* last_error() noexcept { return message().c_str(); }
void forget_error() noexcept { message().clear(); }

linnet_status fail(linnet_status status, const char* text) noexcept {
  try {
    message() = std::string(text);  // a copy, because `text` may point into the message
  } catch (const std::bad_alloc&) {
    message().clear();
  }
  return status;
}

linnet_status fail_by_exception() noexcept {
  try {
    throw;
  } catch (const ArgumentError& error) {
    return fail(LINNET_ERROR_ARGUMENT, error.what());
  } catch (const Error& error) {
    return fail(linnet_status(error.kind()) + 1, error.what());
  } catch (const std::bad_alloc&) {
    return fail(LINNET_ERROR_LIMIT, "not enough memory");
  } catch (const std::length_error&) {
    return fail(LINNET_ERROR_LIMIT, "a size is too large");
  } catch (const std::exception& error) {
    return fail(LINNET_ERROR_INTERNAL, error.what());
  } catch (...) {
    return fail(LINNET_ERROR_INTERNAL, "an exception of an unknown type");
  }
}

Error error_of(linnet_status status) {
  const bool has_kind = status >= LINNET_ERROR_MODEL && status <= LINNET_ERROR_INTERNAL;
  const std::string text = last_error();
  return {has_kind ? ErrorKind(status - 1) : ErrorKind::kInternal,
          text.empty() ? str("the callback returned status ", status) : text};
}

}  // namespace linnet::c_api

using namespace linnet;

const char* linnet_version() { return version(); }
const char* linnet_last_error() { return c_api::last_error(); }

linnet_status linnet_set_error(linnet_status status, const char* message) {
  return c_api::fail(status, message ? message : "");
}
