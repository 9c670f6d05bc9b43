#include "target.h"

#include "linnet/error.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    linnet::take({data, size});
  } catch (const linnet::Error&) {  // NOLINT: the answer to bad input
  }
  return 0;
}
