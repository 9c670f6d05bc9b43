#pragma once

#include <span>

#include "session.h"

namespace linnet::ort {

/// The names and values of a run, in the caller's arrays.
struct RunCall {
  std::span<const char* const> input_names;
  std::span<const Value* const> inputs;
  std::span<const char* const> output_names;
  std::span<Value*> outputs;  ///< NULL entries are created; others are written to
};

/// Wraps arrays of the caller. Throws Failure(kInvalidArgument) if one is NULL.
RunCall run_call(const char* const* input_names, const Value* const* inputs, size_t input_count,
                 const char* const* output_names, size_t output_count, Value** outputs);

/// Runs the model. If it throws Failure, the outputs are unchanged.
void run(SessionState& session, const RunOptions* options, const RunCall& call);

}  // namespace linnet::ort
