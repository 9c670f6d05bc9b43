#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi.h"
#include "linnet/model.h"
#include "value.h"

namespace linnet::ort {

struct RunOptions {
  int log_verbosity = 0;
  int log_severity = -1;
  std::string tag{};
  std::optional<std::string> profile_prefix{};  ///< nullopt: this run writes no profile
  std::map<std::string, std::string> entries{};
  std::vector<std::shared_ptr<const std::map<std::string, Value>>> adapters{};  ///< values for inputs; the last ones
                                                                                ///< take precedence
  /// Cancelled by RunOptionsSetTerminate(). RunOptionsUnsetTerminate() replaces it.
  std::atomic<std::shared_ptr<CancellationToken>> cancellation{std::make_shared<CancellationToken>()};
};

}  // namespace linnet::ort
