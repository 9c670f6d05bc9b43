#include "load_errors.h"

#include <filesystem>
#include <string_view>

#include "status.h"

namespace linnet::ort {
namespace {

bool says(const Error& error, std::string_view part) { return error.message().find(part) != std::string::npos; }

/// Parts of Linnet's messages that ONNX Runtime reports with another code than others of their kind.
struct Case {
  std::string_view part;
  ErrorCode code;
};
constexpr std::string_view kUnknownOperators = "operators that this build does not have";
constexpr Case kCases[] = {
    {kUnknownOperators, kInvalidGraph}, {"is not defined by any node", kInvalidArgument},
    {"nodes form a cycle", kFail},      {"external data '", kFail},
    {"supported are ", kFail},  // opsets and versions of the format
};

ErrorCode load_code(const Error& error) {
  if (says(error, kUnknownOperators) && says(error, "::")) return kFail;  // of a domain that nobody registered
  for (const Case& one : kCases) {
    if (says(error, one.part)) return one.code;
  }
  switch (error.kind()) {
    case ErrorKind::kModel:
    case ErrorKind::kType:
    case ErrorKind::kShape:
      return kInvalidGraph;
    case ErrorKind::kUnsupported:
      return kNotImplemented;
    default:
      return kFail;
  }
}

}  // namespace

void throw_load_failure(const Error& error, const std::string& path) {
  const std::string head = path.empty() ? "" : str("Load model from ", path, " failed:");
  std::error_code ignored;
  if (error.kind() == ErrorKind::kIo && !path.empty() && !std::filesystem::exists(path, ignored)) {
    throw Failure(kNoSuchFile, str(head, "Load model ", path, " failed. File doesn't exist"));
  }
  if (says(error, "empty file")) throw Failure(kInvalidArgument, head + "No graph was found in the protobuf.");
  if (says(error, "not an ONNX model")) {
    throw Failure(kInvalidProtobuf, path.empty() ? "Failed to load model because protobuf parsing failed."
                                                 : head + "Protobuf parsing failed.");
  }
  throw Failure(load_code(error), head + error.message());
}

}  // namespace linnet::ort
