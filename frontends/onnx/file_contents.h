#pragma once

#include <memory>
#include <span>
#include <string>

#include "byte_source.h"
#include "tensor/stored_contents.h"

namespace linnet {

/// The contents of a tensor in a file, which are read on demand.
class FileContents final : public ContentsSource {
 public:
  /// Returns a tensor with such contents. Returns no tensor if they must be read immediately: the source is not a file
  /// or was written just now, or the contents are too small to matter. `name` appears in messages.
  static Tensor tensor(const std::shared_ptr<const ByteSource>& source, int64_t offset, DType dtype, const Shape& shape,
                       const std::string& name);

  FileContents(std::shared_ptr<const ByteSource> source, int64_t offset, std::string name, std::string version)
      : source_(std::move(source)), offset_(offset), name_(std::move(name)), version_(std::move(version)) {}

  /// Throws Error(kIo) if the file has changed since the tensor was made.
  void read(std::span<std::byte> to, size_t from) const override;

 private:
  [[noreturn]] void throw_changed() const;

  std::shared_ptr<const ByteSource> source_;
  int64_t offset_;
  std::string name_, version_;
};

}  // namespace linnet
