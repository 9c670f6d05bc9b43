#include "file_contents.h"

#include <algorithm>

#include "environment/run_environment.h"
#include "linnet/error.h"

namespace linnet {
namespace {

constexpr size_t kLeastBytes = size_t{1} << 16;
constexpr size_t kCheckedBytes = size_t{4} << 20;

}  // namespace

Tensor FileContents::tensor(const std::shared_ptr<const ByteSource>& source, int64_t offset, DType dtype,
                            const Shape& shape, const std::string& name) {
  const bool as_stored = dtype != DType::kBool && !is_object(dtype);
  if (!as_stored || dtype_bytes(dtype, shape.elements()) < kLeastBytes) return {};
  std::string version = source->version();  // once: the system may fail to return it the next time
  if (version.empty()) return {};
  return StoredContents::tensor(dtype, shape, std::make_shared<FileContents>(source, offset, name, std::move(version)));
}

void FileContents::read(std::span<std::byte> to, size_t from) const {
  for (size_t at = 0; at < to.size(); at += kCheckedBytes) {
    check_current();
    const std::span<std::byte> chunk = to.subspan(at, std::min(kCheckedBytes, to.size() - at));
    if (source_->read_some(chunk.data(), chunk.size(), offset_ + int64_t(from + at)) < chunk.size()) throw_changed();
  }
  if (source_->version() != version_) throw_changed();
}

void FileContents::throw_changed() const {
  throw Error(ErrorKind::kIo, str("initializer '", name_, "': ", source_->name(), " has changed since it was loaded"));
}

}  // namespace linnet
