#pragma once

#include <stdexcept>
#include <string>

namespace linnet::tool {

/// The exit codes of the process.
enum class ExitCode {
  kOk = 0,
  kUsage = 1,       ///< the command line is invalid
  kLoad = 2,        ///< the model does not load
  kRun = 3,         ///< the run fails
  kDifference = 4,  ///< a comparison fails
  kLimit = 5,       ///< a limit or deadline was hit
};

/// Ends the command with a message on stderr and an exit code.
class Failure : public std::runtime_error {
 public:
  /// reported: whether the result from which the failure follows has been reported.
  Failure(ExitCode code, const std::string& message, bool reported = false)
      : std::runtime_error(message), code_(code), reported_(reported) {}
  ExitCode code() const { return code_; }
  bool reported() const { return reported_; }

 private:
  ExitCode code_;
  bool reported_;
};

}  // namespace linnet::tool
