#pragma once

#include <string>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// Loads a library that registers TorchScript operators. It stays loaded. Throws Failure(kLoad).
void load_operators(const std::string& path);

/// Loads a library and calls its `linnet_register_lowerings` to add rules. It stays loaded. Throws Failure(kLoad).
void load_lowerings(const std::string& path, Lowerings& lowerings);

}  // namespace linnet::exporter
