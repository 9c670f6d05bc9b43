#include "values/npz.h"

#include <zip.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "tensor/counted_memory.h"
#include "values/npy.h"

namespace linnet::tool {
namespace {

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;

Archive open_archive(const std::string& path, int flags) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code), zip_discard);
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  throw Error(ErrorKind::kIo, path + ": " + reason);
}

std::string member_name(zip_t* archive, zip_uint64_t index) {
  const char* name = zip_get_name(archive, index, 0);
  std::string text = name ? name : "";
  if (text.ends_with(".npy")) text.resize(text.size() - 4);
  return text;
}

/// Reads in pieces, because the size that an archive states may be wrong.
CountedVector<std::byte> read_all(zip_file_t* file) {
  constexpr size_t kPiece = size_t{1} << 20;
  CountedVector<std::byte> bytes;
  for (;;) {
    const size_t begin = bytes.size();
    bytes.resize(begin + kPiece);
    const zip_int64_t count = zip_fread(file, bytes.data() + begin, kPiece);
    bytes.resize(begin + size_t(std::max<zip_int64_t>(count, 0)));
    if (count <= 0) return bytes;
  }
}

/// Throws Error(kLimit) if the unpacked member is larger than may be allocated.
void refuse_beyond_limit(const zip_stat_t& stat, const std::string& where) {
  try {
    CountedMemory().add(size_t(stat.size));
  } catch (const Error& error) {
    throw error.with_context(where);
  }
}

Tensor read_member(zip_t* archive, zip_uint64_t index, const std::string& path) {
  const std::string where = path + ":" + member_name(archive, index);
  zip_stat_t stat;
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(zip_fopen_index(archive, index, 0), zip_fclose);
  if (!file || zip_stat_index(archive, index, 0, &stat) != 0) throw Error(ErrorKind::kIo, where + ": cannot be read");
  refuse_beyond_limit(stat, where);
  const CountedVector<std::byte> bytes = read_all(file.get());
  if (bytes.size() != stat.size) throw Error(ErrorKind::kIo, where + ": ends early");
  try {
    return parse_npy(bytes);
  } catch (const Error& error) {
    throw error.with_context(where);
  }
}

zip_uint64_t member_count(zip_t* archive) { return zip_uint64_t(zip_get_num_entries(archive, 0)); }

}  // namespace

NamedTensors load_npz(const std::string& path) {
  const Archive archive = open_archive(path, ZIP_RDONLY);
  NamedTensors tensors;
  for (zip_uint64_t i = 0; i < member_count(archive.get()); ++i) {
    tensors.emplace_back(member_name(archive.get(), i), read_member(archive.get(), i, path));
  }
  return tensors;
}

Tensor load_npz_member(const std::string& path, const std::string& member) {
  const Archive archive = open_archive(path, ZIP_RDONLY);
  std::string known;
  for (zip_uint64_t i = 0; i < member_count(archive.get()); ++i) {
    const std::string name = member_name(archive.get(), i);
    if (name == member) return read_member(archive.get(), i, path);
    known += (known.empty() ? "" : ", ") + name;
  }
  throw Error(ErrorKind::kIo, path + ": has no member '" + member + "', but " + known);
}

namespace {

// 1 January 1980. With a fixed date, equal tensors give equal files, whenever they are written.
constexpr zip_uint16_t kFirstDay = 1 << 5 | 1;

/// Throws for devices and other special files, because libzip would replace them by a new file.
void refuse_device(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(ErrorKind::kIo, path + ": cannot be written: not a regular file");
  }
}

/// A part that the archive only reads.
zip_buffer_fragment_t part_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(bytes.data())), bytes.size()};
}

}  // namespace

void save_npz(const std::string& path, const NamedTensors& tensors) {
  std::vector<NpyFile> files;
  for (const auto& [name, tensor] : tensors) files.push_back(to_npy(tensor));
  refuse_device(path);
  Archive archive = open_archive(path, ZIP_CREATE | ZIP_TRUNCATE);
  for (size_t i = 0; i < files.size(); ++i) {
    const std::array<zip_buffer_fragment_t, 2> parts{part_of(files[i].own), part_of(files[i].elements)};
    zip_source_t* source = zip_source_buffer_fragment(archive.get(), parts.data(), parts.size(), 0);
    const std::string name = tensors[i].first + ".npy";
    const zip_int64_t index = zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      throw Error(ErrorKind::kIo, path + ": " + zip_strerror(archive.get()));
    }
    zip_set_file_compression(archive.get(), zip_uint64_t(index), ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive.get(), zip_uint64_t(index), 0, kFirstDay, 0);
  }
  if (zip_close(archive.get()) != 0) throw Error(ErrorKind::kIo, path + ": " + zip_strerror(archive.get()));
  archive.release();
}

}  // namespace linnet::tool
