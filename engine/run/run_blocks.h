#pragma once

#include <map>
#include <memory>
#include <vector>

#include "environment/run_environment.h"

namespace linnet {

/// The memory of a program's runs, which goes from plan to plan: one that needs no more than those before allocates
/// nothing. What has to grow becomes larger by half at least, so that sizes that rise allocate seldom; its pages are
/// the system's until they are written to. Where a run's memory has a limit, blocks are as large as asked for.
struct RunBlocks {
  /// Memory of one output. Two blocks take turns where somebody always holds the output of the run before.
  struct Output {
    std::shared_ptr<Tensor> current, spare;

    /// Makes `current` memory for so many bytes that nobody else holds, and that is not much larger.
    void renew(size_t bytes, const RunEnvironment& environment);
    /// The same for strings and containers, which have a type.
    void renew_objects(DType dtype, const Shape& shape, const RunEnvironment& environment);
  };

  /// Makes `block` at least so large; its contents are lost.
  static void reserve(Tensor& block, size_t bytes, const RunEnvironment& environment);

  Tensor arena{}, scratch{};
  std::vector<Output> owned{};      ///< by order of slots
  std::map<int, Output> dynamic{};  ///< by order of slots
  std::vector<RunBlocks> rests{};   ///< of Plan::rests
};

}  // namespace linnet
