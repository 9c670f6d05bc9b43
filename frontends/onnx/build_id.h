#pragma once

#include <string>

namespace linnet {

/// Returns the build ID that the linker stored in the library or program that contains this function, in hexadecimal
/// digits. It differs between builds. It is empty if the linker stored none.
std::string build_id();

}  // namespace linnet
