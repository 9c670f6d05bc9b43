#pragma once

#include <memory>

#include "compile/pack_cache.h"
#include "compile/shared_constants.h"
#include "compile/spare_memory.h"
#include "linnet/options.h"
#include "tensor/memory_account.h"

namespace linnet {

/// What all plans of a model share, those of control-flow bodies included.
struct ModelResources : std::enable_shared_from_this<ModelResources> {
  ModelOptions options;
  std::shared_ptr<Executor> executor = make_serial_executor();  ///< for the work before runs
  std::shared_ptr<MemoryAccount> account;                       ///< of loading, where that has a limit
  mutable PackCache packs;
  mutable SharedConstants constants;
  mutable SpareMemory spare_memory;  ///< of freed weights, for packed ones
};

}  // namespace linnet
