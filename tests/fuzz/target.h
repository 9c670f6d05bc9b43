#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace linnet {

/// What the target does with bytes that may be anything. Nothing but an Error may come out.
void take(std::span<const uint8_t> bytes);
/// Whether no Error came out.
bool takes(std::span<const uint8_t> bytes);

}  // namespace linnet

// The interface of libFuzzer, https://llvm.org/docs/LibFuzzer.html: the first is every target's, the second the
// fuzzer's, those behind it are of targets that change inputs themselves.
extern "C" {
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size, uint8_t* out,
                                 size_t most, unsigned seed);
}
