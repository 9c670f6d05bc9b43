#include "zip_directory.h"

#include <algorithm>

#include "linnet/shape.h"
#include "little_endian.h"
#include "zip_end.h"

namespace linnet::pt2 {

namespace {

constexpr int64_t kMostEntries = 1'000'000;
constexpr int64_t kMostDirectoryBytes = int64_t{256} << 20;
constexpr size_t kEntryBytes = 46, kLocalBytes = 30;
constexpr uint64_t kEntryMark = 0x02014b50, kLocalMark = 0x04034b50;
// The flags of entries that are encrypted, a patch, strongly encrypted, or have masked headers.
constexpr uint64_t kEncryptedFlags = 1 << 0 | 1 << 6 | 1 << 13, kPatchFlag = 1 << 5;

/// An entry of the directory, with the offset of its local header.
struct Listed {
  ZipEntry entry;
  int64_t header = 0;
};

[[noreturn]] void throw_bad_entry(ErrorKind kind, const std::string& name, const std::string& what) {
  throw Error(kind, str("entry '", name, "' of the ZIP archive ", what));
}

void check_name(const std::string& name) {
  if (name.empty()) throw Error(ErrorKind::kModel, "the ZIP archive is damaged: an entry has no name");
  if (name.find('\0') != std::string::npos) throw_bad_entry(ErrorKind::kModel, name, "has a zero byte in its name");
}

void check_method(const std::string& name, uint64_t flags, uint64_t method) {
  if (flags & kEncryptedFlags) throw_bad_entry(ErrorKind::kUnsupported, name, "is encrypted; save the model without");
  if (flags & kPatchFlag) throw_bad_entry(ErrorKind::kUnsupported, name, "is a patch of other data");
  if (method == 0) return;
  throw_bad_entry(ErrorKind::kUnsupported, name,
                  str("is compressed (method ", method, "), PyTorch stores files without compression; save it again"));
}

/// The three numbers of an entry that may be in its ZIP64 field instead, in that field's order.
struct Sizes {
  uint64_t bytes, stored_bytes, header;
};

/// Reads the numbers whose bits are all set from the ZIP64 field.
Sizes with_zip64(const RecordBytes& directory, Sizes sizes, size_t extra, size_t extra_end, const std::string& name) {
  uint64_t* const missing[] = {&sizes.bytes, &sizes.stored_bytes, &sizes.header};
  const auto is_missing = [](const uint64_t* number) { return *number == 0xffffffff; };
  if (std::none_of(std::begin(missing), std::end(missing), is_missing)) return sizes;
  while (extra + 4 <= extra_end) {
    const uint64_t id = directory.number(extra, 2);
    const size_t end = extra + 4 + size_t(directory.number(extra + 2, 2));
    if (end > extra_end) break;
    extra += 4;
    for (uint64_t* const number : missing) {
      if (id != 1 || !is_missing(number)) continue;
      if (extra + 8 > end) throw_bad_entry(ErrorKind::kModel, name, "has a ZIP64 field that is too short");
      *number = directory.number(extra, 8);
      extra += 8;
    }
    if (id == 1) return sizes;
    extra = end;
  }
  throw_bad_entry(ErrorKind::kModel, name, "has no ZIP64 field, which its sizes refer to");
}

/// Reads the entry at an offset of the directory and advances the offset to the next entry.
Listed read_entry(const RecordBytes& directory, size_t& at, int64_t directory_offset) {
  if (directory.number(at, 4) != kEntryMark) {
    throw Error(ErrorKind::kModel,
                "the ZIP archive is damaged: its directory has fewer entries than its end record counts");
  }
  const size_t name_bytes = size_t(directory.number(at + 28, 2));
  const size_t extra = at + kEntryBytes + name_bytes, extra_end = extra + size_t(directory.number(at + 30, 2));
  const std::string name = directory.text(at + kEntryBytes, name_bytes);
  check_name(name);
  check_method(name, directory.number(at + 8, 2), directory.number(at + 10, 2));
  const Sizes sizes =
      with_zip64(directory, {directory.number(at + 24, 4), directory.number(at + 20, 4), directory.number(at + 42, 4)},
                 extra, extra_end, name);
  if (sizes.bytes != sizes.stored_bytes) throw_bad_entry(ErrorKind::kModel, name, "has two sizes");
  const auto limit = uint64_t(directory_offset);
  if (directory.number(at + 34, 2) != 0 || sizes.header > limit || sizes.bytes > limit - sizes.header) {
    throw_bad_entry(ErrorKind::kModel, name, "is not inside of the archive");
  }
  at = extra_end + size_t(directory.number(at + 32, 2));
  return {{name, 0, int64_t(sizes.bytes)}, int64_t(sizes.header)};
}

/// Finds the bytes after an entry's local header.
void locate(const ByteSource& archive, Listed& listed, int64_t directory_offset) {
  const std::string& name = listed.entry.name;
  const auto header_bytes = int64_t(kLocalBytes + name.size());
  if (header_bytes > directory_offset - listed.header) {
    throw_bad_entry(ErrorKind::kModel, name, "is not inside of the archive");
  }
  const RecordBytes local(archive, listed.header, header_bytes, "an entry's header");
  const bool same = local.number(0, 4) == kLocalMark && local.number(8, 2) == 0 && local.number(26, 2) == name.size() &&
                    local.text(kLocalBytes, name.size()) == name;
  if (!same) throw_bad_entry(ErrorKind::kModel, name, "has a header that differs from the directory");
  listed.entry.offset = checked_add(listed.header, checked_add(header_bytes, int64_t(local.number(28, 2))));
  if (checked_add(listed.entry.offset, listed.entry.bytes) > directory_offset) {
    throw_bad_entry(ErrorKind::kModel, name, "is not inside of the archive");
  }
}

void check_overlaps(std::vector<Listed>& entries) {
  std::sort(entries.begin(), entries.end(), [](const Listed& a, const Listed& b) { return a.header < b.header; });
  for (size_t i = 1; i < entries.size(); ++i) {
    const ZipEntry& before = entries[i - 1].entry;
    if (entries[i].header >= before.offset + before.bytes) continue;
    throw_bad_entry(ErrorKind::kModel, entries[i].entry.name, str("shares bytes with entry '", before.name, "'"));
  }
}

void check_duplicates(std::vector<ZipEntry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const ZipEntry& a, const ZipEntry& b) { return a.name < b.name; });
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].name == entries[i - 1].name) throw_bad_entry(ErrorKind::kModel, entries[i].name, "is there twice");
  }
}

std::vector<Listed> list_entries(const ByteSource& archive) {
  const ZipEnd end = find_zip_end(archive);
  if (end.entries > kMostEntries || end.bytes > kMostDirectoryBytes) {
    throw Error(ErrorKind::kLimit, str("the ZIP archive has ", end.entries, " entries, the limit is ", kMostEntries));
  }
  const RecordBytes directory(archive, end.offset, end.bytes, "its directory ends too early");
  std::vector<Listed> entries;
  size_t at = 0;
  for (int64_t i = 0; i < end.entries; ++i) entries.push_back(read_entry(directory, at, end.offset));
  if (at != directory.size()) {
    throw Error(ErrorKind::kModel,
                "the ZIP archive is damaged: its directory has more entries than its end record counts");
  }
  for (Listed& entry : entries) locate(archive, entry, end.offset);
  return entries;
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(const ByteSource& archive) {
  std::vector<Listed> listed = list_entries(archive);
  check_overlaps(listed);
  std::vector<ZipEntry> entries;
  for (Listed& entry : listed) {
    if (!entry.entry.name.ends_with('/')) entries.push_back(std::move(entry.entry));
  }
  check_duplicates(entries);
  return entries;
}

}  // namespace linnet::pt2
