#pragma once

#include <memory_resource>

#include "abi.h"

namespace linnet::ort {

/// Returns the memory resource of an allocator that a client registered, for values of runs. It lives as long as the
/// process because values may outlive the session and the environment.
std::pmr::memory_resource& memory_of(Allocator& allocator);

}  // namespace linnet::ort
