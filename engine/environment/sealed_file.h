#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linnet {

/// The contents of a file that only Linnet writes, as a whole. They are mapped into memory, so that processes share the
/// pages. The bytes begin on a separate page and must not be written to.
struct SealedFile {
  std::string text;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  ///< owns the mapping
};

/// Writes such a file and replaces an existing one atomically: other processes see the old file or the new one. The
/// file is on the disk when this returns. It contains its checksum, and its modification time is derived from that: the
/// seal, which any later write breaks. Each part begins at a multiple of kAlignment. Throws Error(kIo).
void write_sealed(const std::string& path, const std::string& text,
                  const std::vector<std::span<const std::byte>>& parts);

/// Maps such a file; nullopt if it does not exist or was changed. If the seal is broken, for example by a copy that
/// does not preserve times, the whole file is read to compare its checksum, and sealed again.
std::optional<SealedFile> map_sealed(const std::string& path);

}  // namespace linnet
