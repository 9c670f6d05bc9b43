#include "npz.h"

#include <zip.h>

#include <memory>

#include "npy.h"

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

Tensor read_member(zip_t* archive, zip_uint64_t index, const std::string& path) {
  const std::string where = path + ":" + member_name(archive, index);
  zip_stat_t stat;
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(zip_fopen_index(archive, index, 0), zip_fclose);
  if (!file || zip_stat_index(archive, index, 0, &stat) != 0) throw Error(ErrorKind::kIo, where + ": cannot be read");
  std::vector<std::byte> bytes(stat.size);
  if (zip_fread(file.get(), bytes.data(), stat.size) != zip_int64_t(stat.size)) {
    throw Error(ErrorKind::kIo, where + ": ends early");
  }
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

void save_npz(const std::string& path, const NamedTensors& tensors) {
  std::vector<std::vector<std::byte>> buffers;
  for (const auto& [name, tensor] : tensors) buffers.push_back(to_npy(tensor));
  Archive archive = open_archive(path, ZIP_CREATE | ZIP_TRUNCATE);
  for (size_t i = 0; i < buffers.size(); ++i) {
    zip_source_t* source = zip_source_buffer(archive.get(), buffers[i].data(), buffers[i].size(), 0);
    const std::string name = tensors[i].first + ".npy";
    const zip_int64_t index = zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      throw Error(ErrorKind::kIo, path + ": " + zip_strerror(archive.get()));
    }
    zip_set_file_compression(archive.get(), zip_uint64_t(index), ZIP_CM_STORE, 0);
  }
  if (zip_close(archive.get()) != 0) throw Error(ErrorKind::kIo, path + ": " + zip_strerror(archive.get()));
  archive.release();
}

}  // namespace linnet::tool
