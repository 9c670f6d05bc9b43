#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace linnet {

/// Runs the target on arbitrary bytes. May throw only Error.
void take(std::span<const uint8_t> bytes);
/// Whether the target accepts the bytes without an Error.
bool takes(std::span<const uint8_t> bytes);

}  // namespace linnet

// The interface of libFuzzer. Every target has the first function, the fuzzer has the second, and targets with custom
// mutations have the others.
// Source: https://llvm.org/docs/LibFuzzer.html
extern "C" {
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size, uint8_t* out,
                                 size_t most, unsigned seed);
}
