#pragma once

#include <string>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// Opens a library, which registers TorchScript operators when it is loaded. It stays loaded. Throws Failure(kLoad).
void load_operators(const std::string& path);

/// Opens a library and lets its `linnet_register_lowerings` add rules. It stays loaded. Throws Failure(kLoad).
void load_lowerings(const std::string& path, Lowerings& lowerings);

}  // namespace linnet::exporter
