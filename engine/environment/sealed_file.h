#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linnet {

/// What a file holds that only Linnet writes, whole, mapped into memory: processes share the pages. The bytes lie on a
/// page of their own; they are not to be written.
struct SealedFile {
  std::string text;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  ///< of the mapping
};

/// Writes such a file in place of what is there, at once: others see the old one or the new one. It is on the disk when
/// this returns. Its checksum stands in it, and its time of modification is made from that: the seal, which any later
/// write breaks. Each part begins at a multiple of kAlignment. Throws Error(kIo).
void write_sealed(const std::string& path, const std::string& text,
                  const std::vector<std::span<const std::byte>>& parts);

/// Maps such a file; nothing where there is none or it is not as it was written. A file whose seal is broken (by a copy
/// that does not keep times, say) is read as a whole to compare its checksum, and sealed again.
std::optional<SealedFile> map_sealed(const std::string& path);

}  // namespace linnet
