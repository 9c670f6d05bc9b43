#include "external_data.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "file.h"
#include "file_contents.h"
#include "linnet/error.h"
#include "program_file.h"
#include "tensor/alignment.h"

namespace linnet {

namespace {

namespace fs = std::filesystem;

// The number of files that a model keeps open at most.
constexpr size_t kMostOpen = 16;

int64_t parse_number(const std::string& key, const std::string& text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) {
    throw Error(ErrorKind::kModel, str("external data: ", key, " must be a whole number, got '", text, "'"));
  }
  return value;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const auto [rest, _] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

[[noreturn]] void throw_outside(const std::string& location) {
  throw Error(ErrorKind::kModel, str("external data: location '", location, "' leads out of the model's folder"));
}

}  // namespace

ExternalData::Entries ExternalData::parse(const pb::TensorProto& tensor) {
  Entries entries;
  for (const pb::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") entries.location = entry.value();
    if (entry.key() == "offset") entries.offset = parse_number("offset", entry.value());
    if (entry.key() == "length") entries.length = parse_number("length", entry.value());
  }
  if (entries.location.empty() || entries.location.find('\0') != std::string::npos) {
    throw Error(ErrorKind::kModel, "external data: no valid location");
  }
  return entries;
}

void ExternalData::check_inside(const std::string& location) const {
  const fs::path path(location);
  const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
  if (!anywhere_ && (path.is_absolute() || climbs)) throw_outside(location);
}

std::string ExternalData::resolve(const std::string& location) const {
  if (folder_.empty()) {
    throw Error(ErrorKind::kModel, str("external data '", location,
                                       "': a model in memory has no folder; load it from its path or pass its files"));
  }
  check_inside(location);
  std::error_code failed;
  const fs::path folder = fs::canonical(folder_, failed);
  const fs::path path = failed ? fs::path() : fs::canonical(folder / location, failed);
  if (failed) {
    throw Error(ErrorKind::kIo, str("external data '", location, "' in '", folder_, "': ", failed.message()));
  }
  if (!anywhere_ && !lies_in(path, folder)) throw_outside(location);
  return path.string();
}

std::shared_ptr<const ByteSource> ExternalData::source_at(const std::string& location) {
  if (shared_) return std::make_shared<MemorySource>(shared_->bytes);
  if (const auto kept = kept_open_.find(location); kept != kept_open_.end()) return kept->second;
  if (resolver_) return std::make_shared<MemorySource>(resolver_(location));
  if (program_) {
    check_inside(location);
    return std::make_shared<ProgramFile>(program_,
                                         (fs::path(folder_) / fs::path(location).lexically_normal()).string());
  }
  auto file = std::make_shared<File>(resolve(location));
  files_.try_emplace(location, ExternalFile{file->path(), file->state()});
  return file;
}

const ByteSource& ExternalData::open(const std::string& location) {
  if (!source_ || opened_ != location) {
    source_ = source_at(location);
    opened_ = location;
    if (limits_.file_bytes > 0 && source_->size() > limits_.file_bytes) {
      throw Error(ErrorKind::kLimit, str("external data '", location, "' of ", source_->size(), " bytes, the limit is ",
                                         limits_.file_bytes));
    }
  }
  return *source_;
}

void ExternalData::check(const pb::TensorProto& tensor, int64_t bytes) {
  const Entries entries = parse(tensor);
  if (entries.length && *entries.length != bytes) {
    throw Error(ErrorKind::kModel, str("external data '", entries.location, "': length is ", *entries.length,
                                       " bytes, the tensor needs ", bytes));
  }
  const int64_t size = open(entries.location).size();
  if (bytes > size || entries.offset > size - bytes) {
    throw Error(ErrorKind::kModel, str("external data '", entries.location, "' has ", size, " bytes, the tensor needs ",
                                       bytes, " from byte ", entries.offset));
  }
}

Tensor ExternalData::share(const pb::TensorProto& tensor, DType dtype, const Shape& shape) {
  if (!shared_) return {};
  const std::byte* const data = shared_->bytes.data() + parse(tensor).offset;
  if (reinterpret_cast<uintptr_t>(data) % kAlignment != 0) return {};
  return Tensor::share(dtype, shape, const_cast<std::byte*>(data), shared_->owner);
}

Tensor ExternalData::read_later(const pb::TensorProto& tensor, DType dtype, const Shape& shape) {
  const Entries entries = parse(tensor);
  open(entries.location);
  if (kept_open_.size() >= kMostOpen && !kept_open_.contains(entries.location)) return {};
  const Tensor later = FileContents::tensor(source_, entries.offset, dtype, shape, tensor.name());
  if (later) kept_open_[entries.location] = source_;
  return later;
}

void ExternalData::read(const pb::TensorProto& tensor, std::span<std::byte> to) {
  const Entries entries = parse(tensor);
  open(entries.location).read(to, entries.offset);
}

}  // namespace linnet
