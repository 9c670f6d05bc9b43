#pragma once

#include <span>
#include <vector>

#include "session.h"

namespace linnet::ort {

/// Returns the tensors of a run, in the order of SessionState::run(). Throws Failure if names, types or shapes do not
/// fit.
std::vector<Tensor> checked_inputs(const SessionState& session, std::span<const char* const> names,
                                   std::span<const Value* const> values);

/// Throws Failure(kInvalidArgument) unless the value fits. side: "input" or "output", for messages.
void check_value(const char* side, const ValueInfo& info, const Value& value);

}  // namespace linnet::ort
