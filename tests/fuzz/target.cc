#include "target.h"

#include "linnet/error.h"

bool linnet::takes(std::span<const uint8_t> bytes) {
  try {
    take(bytes);
  } catch (const Error&) {  // The expected answer to bad input.
    return false;
  }
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  linnet::takes({data, size});
  return 0;
}
