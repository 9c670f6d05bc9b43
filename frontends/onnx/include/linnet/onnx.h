#pragma once

#include <span>
#include <string>
#include <string_view>

#include "linnet/model.h"

namespace linnet {

class Registry;

/// Loads an ONNX file of IR version 3 or newer, with every opset of Linnet's operators, and external data next to the
/// file.
/// Throws
/// - Error(kIo) if the file cannot be read,
/// - Error(kModel) if it is malformed,
/// - Error(kUnsupported) for operators, types or opsets that this build lacks,
/// - Error(kLimit) beyond options.limits.
///
/// Source of the format: https://onnx.ai/onnx/repo-docs/IR.html
LINNET_API Model load_onnx(const std::string& path, const ModelOptions& options = {});

/// Loads an ONNX file with the operators of a registry (linnet/registry.h).
LINNET_API Model load_onnx(const std::string& path, const ModelOptions& options, const Registry& registry);

/// Loads an ONNX model from memory. External data is looked up in `folder`.
LINNET_API Model load_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder = {},
                                 const ModelOptions& options = {});
LINNET_API Model load_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder,
                                 const ModelOptions& options, const Registry& registry);

/// Loads an ONNX model from the text that save_onnx_bytes() returns.
inline Model load_onnx_bytes(std::string_view bytes, const std::string& folder = {}, const ModelOptions& options = {}) {
  return load_onnx_bytes(std::as_bytes(std::span(bytes)), folder, options);
}

/// Loads an ONNX model from an open regular file (of memfd_create(), for example), read from its beginning. The
/// descriptor stays open.
LINNET_API Model load_onnx_fd(int fd, const std::string& folder = {}, const ModelOptions& options = {});
LINNET_API Model load_onnx_fd(int fd, const std::string& folder, const ModelOptions& options, const Registry& registry);

/// Writes a model's graph after the rewrites, weights included. Its fused operators are in the domain "linnet": Linnet
/// can load such a file again, other engines cannot. A model prepared with ModelOptions::optimization 0 has no such
/// operators.
/// Throws Error(kIo) if the file cannot be written, Error(kLimit) beyond the 2 GiB that the format holds,
/// Error(kUnsupported) for a model whose weights Model::specialized() freed.
LINNET_API void save_onnx(const Model& model, const std::string& path);

/// Writes the same model to memory.
LINNET_API std::string save_onnx_bytes(const Model& model);

}  // namespace linnet
