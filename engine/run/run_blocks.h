#pragma once

#include <map>
#include <memory>
#include <vector>

#include "environment/run_environment.h"

namespace linnet {

/// The memory of a program's runs, which is passed from plan to plan, so that a plan that needs no more than the
/// earlier ones allocates nothing. Blocks grow by at least half, so that rising sizes allocate rarely; pages are not
/// used until they are written to. If the run's memory is limited, blocks are exactly as large as requested.
struct RunBlocks {
  /// Memory of one output. Two blocks alternate while the caller holds the output of the previous run.
  struct Output {
    std::shared_ptr<Tensor> current, spare;

    /// Makes `current` a block of at least `bytes` that nothing else holds and that is not much larger.
    void renew(size_t bytes, const RunEnvironment& environment);
    /// The same for strings and containers, whose block is a tensor of their dtype and shape.
    void renew_objects(DType dtype, const Shape& shape, const RunEnvironment& environment);
  };

  /// Makes `block` at least `bytes` large. Its contents are lost.
  static void reserve(Tensor& block, size_t bytes, const RunEnvironment& environment);

  Tensor arena{}, scratch{};
  std::vector<Output> owned{};      ///< in the order of slots
  std::map<int, Output> dynamic{};  ///< in the order of slots
  std::vector<RunBlocks> rests{};   ///< of Plan::rests
};

}  // namespace linnet
