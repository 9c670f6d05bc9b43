#include "compile/pack_files.h"

#include <filesystem>
#include <sstream>

#include "tensor/alignment.h"
#include "tensor/checksum.h"

namespace linnet {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".packs";

// Writes a line of a file's text, after the line of the model's key: dtype, rank, dims, the offset of the bytes, the
// name.
void write_line(std::ostream& text, const Tensor& packed, size_t offset, const std::string& name) {
  text << int(packed.dtype()) << ' ' << packed.rank();
  for (const int64_t dim : packed.shape()) text << ' ' << dim;
  text << ' ' << offset << ' ' << name << '\n';
}

struct Line {
  DType dtype{};
  Shape shape;
  size_t offset = 0;
  std::string name;
};

Line read_line(const std::string& text) {
  std::istringstream in(text);
  int dtype = 0;
  size_t rank = 0;
  in >> dtype >> rank;
  std::vector<int64_t> dims(std::min(rank, size_t(kMaxRank)));
  for (int64_t& dim : dims) in >> dim;
  Line line{DType(dtype), Shape(dims), 0, {}};
  in >> line.offset >> std::ws;
  std::getline(in, line.name);
  return line;
}

}  // namespace

PackFiles::PackFiles(std::string folder, std::string key, SealedFile constants)
    : folder_(std::move(folder)), key_(std::move(key)), constants_(std::move(constants)) {
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() == kSuffix) read(entry.path());
  }
}

void PackFiles::read(const std::string& path) {
  const std::optional<SealedFile> file = map_sealed(path);
  std::istringstream lines(file ? file->text : "");
  std::string text;
  if (!std::getline(lines, text) || text != key_) {
    std::error_code failed;  // ignored: the folder may belong to another user
    fs::remove(path, failed);
    return;
  }
  while (std::getline(lines, text)) {
    const Line line = read_line(text);
    auto* const data = const_cast<std::byte*>(file->bytes.data()) + line.offset;
    packed_[line.name] = Tensor::share(line.dtype, line.shape, data, file->owner);
  }
}

std::string PackFiles::name(const Tensor& constant, const PackedForm& form) const {
  const auto* const data = static_cast<const std::byte*>(constant.address());
  const std::byte* const begin = constants_.bytes.data();
  if (std::less()(data, begin) || !std::less()(data, begin + constants_.bytes.size())) return {};
  std::string name = str(data - begin, ' ', constant.dtype(), constant.shape(), ' ', form.name);
  for (const int64_t number : form.numbers) name += str(' ', number);
  return name;
}

Tensor PackFiles::find(const Tensor& constant, const PackedForm& form) const {
  const auto found = packed_.find(name(constant, form));
  return found == packed_.end() ? Tensor() : found->second;
}

void PackFiles::add(const Tensor& constant, const PackedForm& form, const Tensor& packed) {
  const std::string key = name(constant, form);
  if (!key.empty() && packed.dtype() != DType::kString && !is_container(packed.dtype())) added_[key] = packed;
}

std::string PackFiles::write(const Packed& added) const {
  std::ostringstream text;
  text << key_ << '\n';
  std::vector<std::span<const std::byte>> parts;
  size_t offset = 0;
  for (const auto& [key, packed] : added) {
    write_line(text, packed, offset, key);
    parts.emplace_back(static_cast<const std::byte*>(packed.raw()), packed.bytes());
    offset += aligned(packed.bytes());
  }
  Checksummer sum;
  sum.add(text.str());
  const std::string path = folder_ + "/" + sum.result().hex() + kSuffix;
  write_sealed(path, text.str(), parts);
  return path;
}

}  // namespace linnet
