#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linnet/options.h"
#include "onnx/byte_source.h"
#include "zip_directory.h"

namespace linnet::pt2 {

/// The bytes of a member. `owner` keeps them valid.
struct MemberBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Whether a file is a ZIP with a folder that contains an archive_format. Throws as Archive::open() does.
bool is_archive_of_export(const ByteSource& file);

/// A .pt2 archive of torch.export.save of PyTorch 2.9 or newer: a ZIP whose members are stored without compression.
/// Names of members are relative to the archive's only folder: "models/model.json".
/// Source: https://docs.pytorch.org/docs/stable/export/pt2_archive.html
class Archive {
 public:
  /// Opens a file, which stays open. It is read, not mapped, because truncating a mapped file ends the process. Throws
  /// - Error(kIo) if it cannot be read,
  /// - Error(kLimit) beyond limits.file_bytes,
  /// - Error(kModel) if it is not such an archive (the message names the format that it resembles),
  /// - Error(kUnsupported) for layouts of other versions.
  static Archive open(const std::string& path, const Limits& limits = {});
  /// Opens an archive of bytes that are read on demand.
  static Archive of(std::shared_ptr<const ByteSource> source, const Limits& limits = {});
  /// Opens an archive in memory that `owner` keeps valid. Without an owner the bytes must outlive the archive, and
  /// weights are copied.
  static Archive from_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner = nullptr,
                            const Limits& limits = {});

  /// "model", or the names of the programs that were packed together, sorted.
  const std::vector<std::string>& models() const { return models_; }

  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Returns the names of the members that begin with a prefix, sorted.
  std::vector<std::string> names_below(std::string_view prefix) const;
  /// Returns the bytes of a member: those of the archive if it is in memory, otherwise a copy read from the file.
  /// Throws Error(kModel) if there is no such member.
  MemberBytes member(std::string_view name) const;
  /// Returns a range of a member's bytes, which must contain it, as member() returns all of them.
  MemberBytes part(const ZipEntry& member, int64_t from, int64_t bytes) const;

  /// Returns the position of a member in source(), or nullptr if there is no such member.
  const ZipEntry* find(std::string_view name) const;
  const std::shared_ptr<const ByteSource>& source() const { return source_; }
  /// Whether member() returns bytes of the archive that tensors may share.
  bool shares_bytes() const { return owner_ != nullptr; }

 private:
  Archive(std::shared_ptr<const ByteSource> source, std::span<const std::byte> memory,
          std::shared_ptr<const void> owner, const Limits& limits);
  std::string small_member(std::string_view name, std::string_view otherwise) const;
  void check_versions() const;
  void list_models();

  std::shared_ptr<const ByteSource> source_;
  std::span<const std::byte> memory_;  // empty for a file
  std::shared_ptr<const void> owner_;
  std::vector<ZipEntry> entries_;  // of the folder, sorted by name
  std::vector<std::string> models_;
};

}  // namespace linnet::pt2
