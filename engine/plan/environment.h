#pragma once

#include <memory>

#include "linnet/options.h"
#include "plan/pack_cache.h"
#include "plan/spare_memory.h"

namespace linnet {

/// What all plans of a model share.
struct ProgramEnvironment : std::enable_shared_from_this<ProgramEnvironment> {
  ModelOptions options;
  std::shared_ptr<Executor> executor = make_serial_executor();  ///< for the work before runs
  mutable PackCache packs;
  mutable SpareMemory spare_memory;  ///< of freed weights, for packed ones
};

}  // namespace linnet
