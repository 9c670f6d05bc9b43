#pragma once

#include <string>

#include "abi.h"

namespace linnet::ort {

/// The destination of messages: a function of the client, or standard error.
struct Logger {
  LoggingFunction function = nullptr;
  void* param = nullptr;
  LoggingLevel severity = kWarning;  ///< messages below are dropped
  std::string id;

  bool logs(LoggingLevel level) const { return level >= severity; }
  /// location: "file.cc:12 function", the form in which clients name a place in their source. Linnet's locations are
  /// "linnet:function".
  void log(LoggingLevel level, const char* location, const std::string& message) const;
};

}  // namespace linnet::ort
