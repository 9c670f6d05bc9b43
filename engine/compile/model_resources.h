#pragma once

#include <memory>

#include "compile/pack_cache.h"
#include "compile/shared_constants.h"
#include "linnet/options.h"
#include "tensor/memory_account.h"

namespace linnet {

#ifdef NDEBUG
inline constexpr bool kDebug = false;
#else
inline constexpr bool kDebug = true;
#endif

/// The resources that all plans of a model share, including those of control-flow bodies.
struct ModelResources : std::enable_shared_from_this<ModelResources> {
  ModelOptions options;
  std::shared_ptr<Executor> executor = make_serial_executor();  ///< the threads for work before runs
  std::shared_ptr<MemoryAccount> account;                       ///< the account of loading, if that has a limit
  /// Whether a rewrite that would change a shape or dtype, or whose operators reject their inputs, is skipped and
  /// logged; otherwise it is an Error.
  bool skips_rewrites = !kDebug;
  mutable PackCache packs;
  mutable SharedConstants constants;
};

}  // namespace linnet
