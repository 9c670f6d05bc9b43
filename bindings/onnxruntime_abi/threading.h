#pragma once

#include <memory>

#include "abi.h"
#include "linnet/executor.h"

namespace linnet::ort {

/// How threads are created. The client's functions do it if it gives them.
struct ThreadSettings {
  int count = 0;  ///< 0 or less: as many as there are processors
  CreateThread create = nullptr;
  JoinThread join = nullptr;
  void* options = nullptr;  ///< the argument of `create`

  /// Throws Failure(kFail) if `create` is given without `join`.
  std::shared_ptr<Executor> make_executor() const;
};

/// Options of the threads that all sessions of an environment share.
struct ThreadingOptions {
  ThreadSettings threads;
};

}  // namespace linnet::ort
