#include "archive.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "linnet/error.h"
#include "linnet/tensor.h"
#include "onnx/file.h"
#include "other_formats.h"

namespace linnet::pt2 {

namespace {

constexpr std::string_view kFormatMember = "archive_format";
constexpr int64_t kMostSmallBytes = 64;

void check_file_bytes(int64_t bytes, const Limits& limits) {
  if (limits.file_bytes <= 0 || bytes <= limits.file_bytes) return;
  throw Error(ErrorKind::kLimit, str("model of ", bytes, " bytes, the limit is ", limits.file_bytes));
}

/// Returns the top-level folder, with its slash, that contains the member archive_format, which identifies the archive.
std::optional<std::string> top_folder(const std::vector<ZipEntry>& entries) {
  std::optional<std::string> folder;
  for (const ZipEntry& entry : entries) {
    const size_t slash = entry.name.find('/');
    if (slash == std::string::npos || std::string_view(entry.name).substr(slash + 1) != kFormatMember) continue;
    if (folder) throw Error(ErrorKind::kModel, "the archive has two folders with an archive_format, expected one");
    folder = entry.name.substr(0, slash + 1);
  }
  return folder;
}

/// Returns the entries of a folder, with names relative to it.
std::vector<ZipEntry> entries_in(std::vector<ZipEntry> entries, const std::string& folder) {
  std::erase_if(entries, [&](const ZipEntry& entry) { return !entry.name.starts_with(folder); });
  for (ZipEntry& entry : entries) entry.name.erase(0, folder.size());
  return entries;
}

}  // namespace

bool is_archive_of_export(const ByteSource& file) {
  check_is_zip(file);
  return top_folder(read_zip_directory(file)).has_value();
}

Archive Archive::open(const std::string& path, const Limits& limits) {
  return of(std::make_shared<File>(path), limits);
}

Archive Archive::of(std::shared_ptr<const ByteSource> source, const Limits& limits) {
  return Archive(std::move(source), {}, nullptr, limits);
}

Archive Archive::from_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const Limits& limits) {
  return Archive(std::make_shared<MemorySource>(bytes), bytes, std::move(owner), limits);
}

Archive::Archive(std::shared_ptr<const ByteSource> source, std::span<const std::byte> memory,
                 std::shared_ptr<const void> owner, const Limits& limits)
    : source_(std::move(source)), memory_(memory), owner_(std::move(owner)) {
  check_file_bytes(source_->size(), limits);
  check_is_zip(*source_);
  std::vector<ZipEntry> entries = read_zip_directory(*source_);
  const std::optional<std::string> folder = top_folder(entries);
  if (!folder) throw_other_archive(entries);
  entries_ = entries_in(std::move(entries), *folder);
  check_versions();
  list_models();
}

std::string Archive::small_member(std::string_view name, std::string_view otherwise) const {
  const ZipEntry* const entry = find(name);
  if (!entry) return std::string(otherwise);
  if (entry->bytes > kMostSmallBytes) throw Error(ErrorKind::kModel, str(name, " is longer than expected"));
  const MemberBytes member = this->member(name);
  std::string text(reinterpret_cast<const char*>(member.bytes.data()), member.bytes.size());
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

void Archive::check_versions() const {
  const std::string format = small_member(kFormatMember, "");
  if (format != "pt2") throw Error(ErrorKind::kModel, str("archive_format is '", format, "', expected 'pt2'"));
  const std::string version = small_member("archive_version", "0");
  if (version != "0") {
    throw Error(ErrorKind::kUnsupported, str("archive_version is '", version, "', Linnet reads version 0"));
  }
  const std::string order = small_member("byteorder", "little");
  if (order == "big") {
    throw Error(ErrorKind::kUnsupported, "byteorder is 'big'; save the program again on a little-endian machine");
  }
  if (order != "little") throw Error(ErrorKind::kModel, str("byteorder is '", order, "', expected 'little'"));
}

void Archive::list_models() {
  constexpr std::string_view kFolder = "models/", kEnding = ".json";
  for (const std::string& name : names_below(kFolder)) {
    if (name.ends_with(kEnding) && name.size() > kFolder.size() + kEnding.size()) {
      models_.push_back(name.substr(kFolder.size(), name.size() - kFolder.size() - kEnding.size()));
    }
  }
  check_layout(*this);
}

const ZipEntry* Archive::find(std::string_view name) const {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), name,
                       [](const ZipEntry& entry, std::string_view wanted) { return entry.name < wanted; });
  return found != entries_.end() && found->name == name ? &*found : nullptr;
}

std::vector<std::string> Archive::names_below(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const ZipEntry& entry : entries_) {
    if (entry.name.starts_with(prefix)) names.push_back(entry.name);
  }
  return names;
}

MemberBytes Archive::member(std::string_view name) const {
  const ZipEntry* const entry = find(name);
  if (!entry) throw Error(ErrorKind::kModel, str("the archive has no member '", name, "'"));
  return part(*entry, 0, entry->bytes);
}

MemberBytes Archive::part(const ZipEntry& member, int64_t from, int64_t bytes) const {
  const int64_t offset = member.offset + from;
  if (memory_.data()) return {memory_.subspan(size_t(offset), size_t(bytes)), owner_};
  auto copy = std::make_shared<Tensor>(DType::kUint8, Shape{bytes});
  const std::span to(copy->data<uint8_t>(), size_t(bytes));
  source_->read(std::as_writable_bytes(to), offset);
  return {std::as_bytes(to), std::move(copy)};
}

}  // namespace linnet::pt2
