#pragma once

#include <memory>

#include "linnet/executor.h"

namespace linnet {

/// Wraps an executor. Each chunk first checks whether the caller's run or load should end, and its tensors count for
/// that run or load, whatever thread it runs on.
std::shared_ptr<Executor> make_checked_executor(std::shared_ptr<Executor> executor);

}  // namespace linnet
