#pragma once

#include <memory>

#include "abi.h"
#include "linnet/executor.h"

namespace linnet::ort {

/// How threads are made; by the client where it gives functions for it.
struct ThreadSettings {
  int count = 0;  ///< 0 or less: as many as there are processors
  CreateThread create = nullptr;
  JoinThread join = nullptr;
  void* options = nullptr;  ///< what `create` is called with

  /// Throws Failure(kFail) where `create` is given without `join`.
  std::shared_ptr<Executor> make_executor() const;
};

/// Of the threads that all sessions of an environment share.
struct ThreadingOptions {
  ThreadSettings threads;
};

}  // namespace linnet::ort
