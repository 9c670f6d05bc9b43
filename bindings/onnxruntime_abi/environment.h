#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abi.h"
#include "linnet/executor.h"
#include "logger.h"

namespace linnet::ort {

/// The part of the environment that sessions share. They may outlive the environment.
struct EnvironmentState {
  Logger logger;
  std::shared_ptr<Executor> executor;  ///< that sessions may share; nullptr if the environment was made without
};

/// The only environment of a process. All calls that create an environment return it until as many calls have released
/// it.
struct Env {
  std::shared_ptr<EnvironmentState> state;
  std::vector<Allocator*> allocators;  ///< registered by the client
};

}  // namespace linnet::ort
