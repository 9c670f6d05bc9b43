#pragma once

#include "key_value_pairs.h"
#include "session_options.h"

namespace linnet::ort {

/// Lets the client choose devices for a model, where it gave a function for that. Throws Failure where that fails, or
/// chooses others than the CPU.
void choose_devices(const SessionOptions& options, const KeyValuePairs& metadata);

}  // namespace linnet::ort
