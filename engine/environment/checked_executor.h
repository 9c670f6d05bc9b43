#pragma once

#include <memory>

#include "linnet/executor.h"

namespace linnet {

/// The executor, but each chunk first asks whether the run or load that the caller works for is to end, and its tensors
/// count for that, whatever thread it runs on.
std::shared_ptr<Executor> make_checked_executor(std::shared_ptr<Executor> executor);

}  // namespace linnet
