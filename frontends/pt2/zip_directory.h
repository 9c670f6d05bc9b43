#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnx/byte_source.h"

namespace linnet::pt2 {

/// An entry of a ZIP whose bytes are stored without compression.
struct ZipEntry {
  std::string name;
  int64_t offset = 0;  ///< of its bytes in the archive
  int64_t bytes = 0;
};

/// Reads the central directory, with or without ZIP64. Every entry is inside the archive and shares no byte with
/// another entry. Folders are omitted. Throws Error(kModel) for a damaged archive, Error(kUnsupported) for compressed
/// or encrypted entries, Error(kLimit) for too many.
/// Source: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
std::vector<ZipEntry> read_zip_directory(const ByteSource& archive);

}  // namespace linnet::pt2
