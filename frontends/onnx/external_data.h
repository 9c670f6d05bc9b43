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

/// A file of external data, and what the system said of it when it was opened first (ByteSource::state).
struct ExternalFile {
  std::string path, state;
};

using ExternalFiles = std::map<std::string, ExternalFile>;  ///< by locations

/// Bytes that tensors may refer to instead of copying them; of every location.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Reads tensors that lie in files beside the model.
/// Source: https://onnx.ai/onnx/repo-docs/ExternalData.html
class ExternalData {
 public:
  explicit ExternalData(SharedBytes shared) : anywhere_(false), shared_(std::move(shared)) {}
  /// `folder`: where locations start; empty when there is none, then every access to a file of the system throws.
  ExternalData(std::string folder, const ModelOptions& options)
      : folder_(std::move(folder)),
        anywhere_(options.allow_external_paths),
        program_(options.files),
        resolver_(options.external_data),
        limits_(options.limits) {}

  /// A tensor that reads its contents when they are asked for, after such checks as check() makes; no tensor where
  /// they must be read at once.
  Tensor read_later(const pb::TensorProto& tensor, DType dtype, const Shape& shape);
  /// Fills `to` with the bytes that the tensor's entries (location, offset, length) name. Throws Error(kModel) for
  /// malformed entries, sizes that do not fit, and locations outside the folder, Error(kIo) when the file cannot be
  /// read, Error(kLimit) beyond limits.file_bytes.
  void read(const pb::TensorProto& tensor, std::span<std::byte> to);
  /// Checks all that read() does before it reads; `bytes` is the size of the tensor.
  void check(const pb::TensorProto& tensor, int64_t bytes);
  /// A tensor over the shared bytes after such checks; no tensor where bytes are not shared, or not aligned.
  Tensor share(const pb::TensorProto& tensor, DType dtype, const Shape& shape);
  /// The path of the file that a location names, links followed. Throws what read() throws for it.
  std::string resolve(const std::string& location) const;
  /// The files that were opened.
  const ExternalFiles& files() const { return files_; }

 private:
  struct Entries {
    std::string location;
    int64_t offset = 0;
    std::optional<int64_t> length;
  };

  static Entries parse(const pb::TensorProto& tensor);
  /// Throws Error(kModel) where the location leads out of the folder as it is written.
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
  std::shared_ptr<const ByteSource> source_;  // the one used last: tensors of one file follow each other
};

}  // namespace linnet
