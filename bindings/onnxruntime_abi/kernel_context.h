#pragma once

#include <list>
#include <memory>
#include <vector>

#include "abi.h"
#include "kernel_info.h"
#include "linnet/op.h"
#include "value.h"

namespace linnet::ort {

/// The view of a run that a client's kernel has. The values belong to the context.
struct KernelContext {
  KernelContext(linnet::KernelContext& engine_in, const KernelInfo& info_in);

  /// Returns memory for output `i`, or nullptr if the node omits it. Throws Failure if another shape was inferred.
  Value* output(size_t i, const Shape& shape);
  /// Throws ClientFailure if the kernel did not request an output that the node has.
  void check_outputs() const;

  linnet::KernelContext& engine;
  const KernelInfo& info;
  std::vector<Value> inputs;
  std::vector<std::unique_ptr<Value>> outputs;
  std::list<std::unique_ptr<std::byte[]>> scratch;
};

}  // namespace linnet::ort
