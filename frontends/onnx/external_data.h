#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "byte_source.h"
#include "linnet/options.h"
#include "linnet/tensor.h"
#include "proto.h"

namespace linnet {

/// A file of external data, and its ByteSource::state() when it was first opened.
struct ExternalFile {
  std::string path, state;
};

using ExternalFiles = std::map<std::string, ExternalFile>;  ///< by location

/// Memory that tensors may refer to instead of copying it. It holds the bytes of every location.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Reads tensors that are stored in files next to the model.
/// Source: https://onnx.ai/onnx/repo-docs/ExternalData.html
class ExternalData {
 public:
  explicit ExternalData(SharedBytes shared) : anywhere_(false), shared_(std::move(shared)) {}
  /// `folder`: the folder that locations are relative to. If it is empty, every access to a file of the system throws.
  ExternalData(std::string folder, const ModelOptions& options)
      : folder_(std::move(folder)),
        anywhere_(options.allow_external_paths),
        program_(options.files),
        resolver_(options.external_data),
        limits_(options.limits) {}

  /// Returns a tensor that reads its contents on first use. Returns no tensor if they must be read immediately. The
  /// caller must call check() first.
  Tensor read_later(const pb::TensorProto& tensor, DType dtype, const Shape& shape);
  /// Fills `to` with the bytes that the tensor's entries (location, offset, length) specify. The caller must call
  /// check() first. Throws Error(kIo) if the file cannot be read, and as check() does for malformed entries.
  void read(const pb::TensorProto& tensor, std::span<std::byte> to);
  /// Checks a tensor of `bytes` bytes before it is read. Throws Error(kModel) for malformed entries, sizes that do not
  /// fit, and locations outside the folder, Error(kIo) if the file cannot be opened, Error(kLimit) beyond
  /// limits.file_bytes.
  void check(const pb::TensorProto& tensor, int64_t bytes);
  /// Returns a tensor over the shared bytes. Returns no tensor if bytes are not shared or not aligned. The caller must
  /// call check() first.
  Tensor share(const pb::TensorProto& tensor, DType dtype, const Shape& shape);
  /// Returns the path of the file that a location names, with links resolved. Throws as check() does.
  std::string resolve(const std::string& location) const;
  /// The files that were opened, by location.
  const ExternalFiles& files() const { return files_; }

 private:
  struct Entries {
    std::string location;
    int64_t offset = 0;
    std::optional<int64_t> length;
  };

  static Entries parse(const pb::TensorProto& tensor);
  /// Throws Error(kModel) if the location, as written, leads out of the folder.
  void check_inside(const std::string& location) const;
  std::shared_ptr<const ByteSource> source_at(const std::string& location);
  const ByteSource& open(const std::string& location);

  std::string folder_;
  bool anywhere_;
  std::shared_ptr<ModelFiles> program_;
  ExternalDataResolver resolver_;
  Limits limits_;
  std::optional<SharedBytes> shared_;
  ExternalFiles files_;
  std::map<std::string, std::shared_ptr<const ByteSource>> kept_open_;  // by location
  std::string opened_;                                                  // location of source_
  std::shared_ptr<const ByteSource> source_;  // used last; tensors of one file are often consecutive
};

}  // namespace linnet
