#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abi.h"
#include "linnet/executor.h"
#include "logger.h"

namespace linnet::ort {

/// What sessions keep of the environment, which they may outlive.
struct EnvironmentState {
  Logger logger;
  std::shared_ptr<Executor> executor;  ///< that sessions may share; nullptr: the environment was made without
};

/// One object in a process: all that create an environment get the same, until as many have released it.
struct Env {
  std::shared_ptr<EnvironmentState> state;
  std::vector<Allocator*> allocators;  ///< the client's, registered
};

}  // namespace linnet::ort
