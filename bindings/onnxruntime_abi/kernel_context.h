#pragma once

#include <list>
#include <memory>
#include <vector>

#include "abi.h"
#include "kernel_info.h"
#include "linnet/op.h"
#include "value.h"

namespace linnet::ort {

/// What a kernel that a client defines sees while it runs. Values belong to the context.
struct KernelContext {
  KernelContext(linnet::KernelContext& engine_in, const KernelInfo& info_in);

  /// Memory for output `i`; nullptr where the node omits it. Throws Failure where another shape was inferred.
  Value* output(size_t i, const Shape& shape);
  /// Throws ClientFailure where the kernel did not ask for an output that the node has.
  void check_outputs() const;

  linnet::KernelContext& engine;
  const KernelInfo& info;
  std::vector<Value> inputs;
  std::vector<std::unique_ptr<Value>> outputs;
  std::list<std::unique_ptr<std::byte[]>> scratch;
};

}  // namespace linnet::ort
