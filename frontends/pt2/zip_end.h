#pragma once

#include <cstdint>

#include "onnx/byte_source.h"

namespace linnet::pt2 {

/// The position of the central directory of a ZIP.
struct ZipEnd {
  int64_t entries = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
};

/// Finds and checks the records after the central directory, which ends where they begin. Throws Error(kModel).
ZipEnd find_zip_end(const ByteSource& archive);

}  // namespace linnet::pt2
