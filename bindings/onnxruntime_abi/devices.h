#pragma once

#include "key_value_pairs.h"
#include "session_options.h"

namespace linnet::ort {

/// Calls the client's function that chooses devices for a model, if there is one. Throws Failure if it fails or chooses
/// other devices than the CPU.
void choose_devices(const SessionOptions& options, const KeyValuePairs& metadata);

}  // namespace linnet::ort
