#pragma once

#include <string>

namespace linnet {

/// What the linker gave the library or program that holds this function, in hexadecimal digits, unlike for any other
/// build; empty where it gave none.
std::string build_id();

}  // namespace linnet
