#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "byte_source.h"
#include "linnet/options.h"
#include "proto.h"

namespace linnet {

/// Reads tensors that lie in files beside the model.
/// Source: https://onnx.ai/onnx/repo-docs/ExternalData.html
class ExternalData {
 public:
  /// `folder`: where locations start; empty when there is none, then every access to a file throws.
  ExternalData(std::string folder, const ModelOptions& options)
      : folder_(std::move(folder)),
        anywhere_(options.allow_external_paths),
        resolver_(options.external_data),
        limits_(options.limits) {}

  /// Fills `to` with the bytes that the tensor's entries (location, offset, length) name. Throws Error(kModel) for
  /// malformed entries, sizes that do not fit, and locations outside the folder, Error(kIo) when the file cannot be
  /// read, Error(kLimit) beyond limits.file_bytes.
  void read(const pb::TensorProto& tensor, std::span<std::byte> to);
  /// Checks all that read() does before it reads; `bytes` is the size of the tensor.
  void check(const pb::TensorProto& tensor, int64_t bytes);

 private:
  struct Entries {
    std::string location;
    int64_t offset = 0;
    std::optional<int64_t> length;
  };

  static Entries parse(const pb::TensorProto& tensor);
  std::string resolve(const std::string& location) const;
  std::unique_ptr<const ByteSource> source_at(const std::string& location) const;
  const ByteSource& open(const std::string& location);

  std::string folder_;
  bool anywhere_;
  ExternalDataResolver resolver_;
  Limits limits_;
  std::string opened_;                        // location of source_
  std::unique_ptr<const ByteSource> source_;  // the one used last: tensors of one file follow each other
};

}  // namespace linnet
