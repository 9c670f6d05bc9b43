#include "load_errors.h"

#include <filesystem>
#include <string_view>

namespace linnet::ort {
namespace {

constexpr std::string_view kUnknownOperators = "operators that this build does not have: ";

/// Returns the part of a message after `begin` and before the next `end`.
std::string between(const std::string& message, std::string_view begin, std::string_view end) {
  const size_t at = message.find(begin);
  if (at == std::string::npos) return {};
  const size_t from = at + begin.size();
  return message.substr(from, message.find(end, from) - from);
}

Failure unknown_operator(const std::string& message) {
  std::string name = between(message, kUnknownOperators, " ");
  const size_t domain = name.find("::");
  if (domain == std::string::npos) {
    return {kInvalidGraph, str("This is an invalid model. Error No Op registered for ", name,
                               " with domain_version of ", between(message, "(opset ", ")"), ": ", message)};
  }
  name.erase(domain, 1);
  return {kFail, str("Fatal error: ", name, "(-1) is not a registered function/op: ", message)};
}

Failure unknown_value(const std::string& message) {
  const std::string name = between(message, "value '", "'");
  if (message.find("output '" + name) != std::string::npos) {
    return {kFail, str("This is an invalid model. Graph output (", name, ") does not exist in the graph.")};
  }
  return {kInvalidArgument, str("Invalid model. Node input '", name,
                                "' is not a graph input, initializer, or output of a previous node.")};
}

Failure new_opset(const std::string& message) {
  if (message.find("IR version") != std::string::npos)
    return {kFail, "Unsupported model IR version: " + between(message, "IR version ", ",") + ". " + message};
  return {kFail, str("Opset ", between(message, "opset ", " "), " is under development: ", message)};
}

/// A part of Linnet's messages, and how ONNX Runtime reports such an error: with this code and with these words in
/// front of Linnet's message.
struct Case {
  std::string_view part;
  ErrorCode code;
  std::string_view words;
};
constexpr Case kCases[] = {
    {"as a model of ONNX Runtime's format does", kFail, "ORT model verification failed: "},
    {"nodes form a cycle", kFail, "This is an invalid model. Error: the graph is not acyclic. "},
    {", the tensor needs ", kFail, "External data is out of bounds: "},
    {"leads out of the model's folder", kFail, "External data path validation failed: "},
    {"external data", kFail, ""},
    {"names no known dtype", kInvalidGraph, ""},
    {"no operator '", kInvalidGraph, "Error No Op registered: "},
    {"ModelOptions::initializers has ", kFail,
     "The initializer that was given: its dimensions do not match, or its type does not match: "},
};

Failure failure_of(const Error& error) {
  const std::string& message = error.message();
  const auto says = [&](std::string_view part) { return message.find(part) != std::string::npos; };
  if (says(kUnknownOperators)) return unknown_operator(message);
  if (says("is not defined by any node")) return unknown_value(message);
  if (says("supported are ")) return new_opset(message);
  if (says("is not among the opset imports")) {
    return {kInvalidGraph, str("No opset import for domain '", between(message, "domain '", "'"), "': ", message)};
  }
  if (says("is defined twice")) {
    return {kFail, str("This is an invalid model. Error: Duplicate definition of name (",
                       between(message, "value '", "'"), ").")};
  }
  for (const Case& one : kCases) {
    if (says(one.part)) return {one.code, std::string(one.words) + message};
  }
  switch (error.kind()) {
    case ErrorKind::kModel:
    case ErrorKind::kType:
    case ErrorKind::kShape:
      return {kInvalidGraph, message};
    case ErrorKind::kUnsupported:
      return {kNotImplemented, message};
    default:
      return {kFail, message};
  }
}

}  // namespace

Failure load_failure(const Error& error, const std::string& path) {
  const std::string head = path.empty() ? "" : str("Load model from ", path, " failed:");
  const auto says = [&](const char* part) { return error.message().find(part) != std::string::npos; };
  std::error_code ignored;
  if (error.kind() == ErrorKind::kIo && !path.empty() && !std::filesystem::exists(path, ignored)) {
    return {kNoSuchFile, str(head, "Load model ", path, " failed. File doesn't exist")};
  }
  if (says("empty file")) return {kInvalidArgument, head + "No graph was found in the protobuf."};
  if (says("not an ONNX model")) {
    return {kInvalidProtobuf,
            path.empty() ? "Failed to load model because protobuf parsing failed." : head + "Protobuf parsing failed."};
  }
  const Failure failure = failure_of(error);
  return {failure.code(), head + failure.what()};
}

}  // namespace linnet::ort
