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

/// The bytes of a member; `owner` keeps them alive.
struct MemberBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Whether a file is a ZIP with a folder that holds an archive_format. Throws as Archive::open().
bool is_archive_of_export(const ByteSource& file);

/// A .pt2 archive of torch.export.save, of PyTorch 2.9 or newer: a ZIP whose members are stored as they are.
/// Names of members are those below the archive's only folder: "models/model.json".
/// Source: https://docs.pytorch.org/docs/stable/export/pt2_archive.html
class Archive {
 public:
  /// A file, which stays open: it is read, not mapped, as whoever cuts a mapped file ends the process. Throws
  /// Error(kIo) when it cannot be read, Error(kLimit) beyond limits.file_bytes, Error(kModel) when it is no such
  /// archive (the message says what it looks like instead), Error(kUnsupported) for layouts of other versions.
  static Archive open(const std::string& path, const Limits& limits = {});
  /// The same of bytes that are read when they are asked for.
  static Archive of(std::shared_ptr<const ByteSource> source, const Limits& limits = {});
  /// Bytes that `owner` keeps alive. Without an owner they must outlive the archive, and weights are copied.
  static Archive from_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner = nullptr,
                            const Limits& limits = {});

  /// "model", or the names that several programs were packed under, sorted.
  const std::vector<std::string>& models() const { return models_; }

  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// The names of members that begin with a prefix, sorted.
  std::vector<std::string> names_below(std::string_view prefix) const;
  /// The bytes of a member: those of the archive where it is in memory, a copy of what the file holds otherwise.
  /// Throws Error(kModel) where there is no such member.
  MemberBytes member(std::string_view name) const;
  /// Some bytes of a member that holds them, as member() gives all.
  MemberBytes part(const ZipEntry& member, int64_t from, int64_t bytes) const;

  /// Where a member is in source(); nullptr where there is none.
  const ZipEntry* find(std::string_view name) const;
  const std::shared_ptr<const ByteSource>& source() const { return source_; }
  /// Whether member() gives bytes of the archive that tensors may share.
  bool shares_bytes() const { return owner_ != nullptr; }

 private:
  Archive(std::shared_ptr<const ByteSource> source, std::span<const std::byte> memory,
          std::shared_ptr<const void> owner, const Limits& limits);
  std::string small_member(std::string_view name, std::string_view otherwise) const;
  void check_versions() const;
  void list_models();

  std::shared_ptr<const ByteSource> source_;
  std::span<const std::byte> memory_;  // empty of a file
  std::shared_ptr<const void> owner_;
  std::vector<ZipEntry> entries_;  // of the folder, by name
  std::vector<std::string> models_;
};

}  // namespace linnet::pt2
