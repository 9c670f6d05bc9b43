#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace linnet {

/// What the target does with bytes that may be anything. Nothing but an Error may come out.
void take(std::span<const uint8_t> bytes);

}  // namespace linnet

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
