#pragma once

#include <span>
#include <string>
#include <string_view>

#include "linnet/model.h"

namespace linnet {

class Registry;

/// Loads an ONNX file: IR version 3 on, every opset of Linnet's operators, external data beside the file.
/// Throws Error(kIo) when the file cannot be read, Error(kModel) when it is malformed, Error(kUnsupported) for
/// operators, types or opsets that this build lacks, Error(kLimit) beyond options.limits.
/// Source of the format: https://onnx.ai/onnx/repo-docs/IR.html
LINNET_API Model load_onnx(const std::string& path, const ModelOptions& options = {});

/// The same with the operators of a registry: linnet/registry.h.
LINNET_API Model load_onnx(const std::string& path, const ModelOptions& options, const Registry& registry);

/// The same from memory; external data is then looked up in `folder`.
LINNET_API Model load_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder = {},
                                 const ModelOptions& options = {});
LINNET_API Model load_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder,
                                 const ModelOptions& options, const Registry& registry);

/// The same from the text that save_onnx_bytes() returns.
inline Model load_onnx_bytes(std::string_view bytes, const std::string& folder = {}, const ModelOptions& options = {}) {
  return load_onnx_bytes(std::as_bytes(std::span(bytes)), folder, options);
}

/// The same from an open regular file (of memfd_create(), say), read from its beginning; it stays open.
LINNET_API Model load_onnx_fd(int fd, const std::string& folder = {}, const ModelOptions& options = {});
LINNET_API Model load_onnx_fd(int fd, const std::string& folder, const ModelOptions& options, const Registry& registry);

/// Writes a model's graph as it is after the rewrites, weights included. Its fused operators are of domain "linnet":
/// Linnet loads such a file again, others do not; a model prepared with ModelOptions::optimization 0 has none.
/// Throws Error(kIo) when the file cannot be written, Error(kLimit) beyond the 2 GiB that the format holds,
/// Error(kUnsupported) for a model whose weights Model::specialized() freed.
LINNET_API void save_onnx(const Model& model, const std::string& path);

/// The same into memory.
LINNET_API std::string save_onnx_bytes(const Model& model);

}  // namespace linnet
