#pragma once

#include <vector>

#include "handle.h"
#include "linnet/op.h"

namespace linnet::c_api {

/// Where an output is computed: nowhere, because the node omits it; in planned memory; in memory that compute()
/// requests.
enum class OutputMemory { kNone, kPlanned, kAllocated };

}  // namespace linnet::c_api

struct linnet_computation : linnet::c_api::Handle<linnet_computation> {
  linnet_computation(linnet::KernelContext& context_in, size_t max_inputs_in,
                     const std::vector<linnet::c_api::OutputMemory>& outputs_in)
      : context(context_in), max_inputs(max_inputs_in), outputs(outputs_in), allocated(outputs_in.size()) {}

  /// How output i is computed. Throws ArgumentError if the operator has no output i.
  linnet::c_api::OutputMemory memory(size_t i) const;
  /// Throws Error(kInternal) if the callback did not allocate an output that it should have.
  void check_allocated() const;

  linnet::KernelContext& context;
  size_t max_inputs;
  const std::vector<linnet::c_api::OutputMemory>& outputs;
  std::vector<bool> allocated;
};
