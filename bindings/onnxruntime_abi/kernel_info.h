#pragma once

#include <map>
#include <memory>
#include <vector>

#include "abi.h"
#include "linnet/node_spec.h"
#include "logger.h"
#include "session_options.h"

namespace linnet::ort {

/// The description of a node for a client's kernel.
struct KernelInfo {
  NodeSpec node;
  std::vector<Fact> inputs, outputs;
  ConfigEntries entries;
  std::shared_ptr<const Logger> logger;
  mutable std::map<size_t, std::shared_ptr<const Value>> constants{};  ///< requested by the kernel, by input
};

}  // namespace linnet::ort
