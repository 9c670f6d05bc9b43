#include "status.h"

#include <memory>
#include <new>

#include "slots.h"

namespace linnet::ort {
namespace {

Status& out_of_memory() {
  static Status status{kFail, "not enough memory"};
  return status;
}

ErrorCode code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUnsupported:
      return kNotImplemented;
    case ErrorKind::kModel:
    case ErrorKind::kType:
    case ErrorKind::kShape:
      return kInvalidArgument;
    default:
      return kFail;
  }
}

}  // namespace

Status* make_status(ErrorCode code, const char* message) noexcept {
  try {
    return new Status{code, message};
  } catch (const std::bad_alloc&) {
    return &out_of_memory();
  }
}

Status* status_of_exception() noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return make_status(failure.code(), failure.what());
  } catch (const ClientFailure& failure) {
    return make_status(failure.code, failure.message.c_str());
  } catch (const Error& error) {
    return make_status(code_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return &out_of_memory();
  } catch (const std::exception& error) {
    return make_status(kRuntimeException, error.what());
  } catch (...) {
    return make_status(kRuntimeException, "an exception of an unknown type");
  }
}

void throw_status(Status* status) {
  if (!status) return;
  const Failure failure(status->code, status->message);
  ReleaseStatus(status);
  throw failure;
}

void throw_client_status(Status* status, const std::string& context) {
  if (!status) return;
  const ClientFailure failure{status->code, context + status->message};
  ReleaseStatus(status);
  throw failure;
}

Status* CreateStatus(ErrorCode code, const char* message) noexcept { return make_status(code, message ? message : ""); }

ErrorCode GetErrorCode(const Status* status) noexcept { return status ? status->code : kOk; }

const char* GetErrorMessage(const Status* status) noexcept { return status ? status->message.c_str() : ""; }

void ReleaseStatus(Status* status) noexcept {
  if (status != &out_of_memory()) delete status;
}

}  // namespace linnet::ort
