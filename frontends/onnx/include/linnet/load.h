#pragma once

#include <span>
#include <string>
#include <string_view>

#include "linnet/model.h"

namespace linnet {

class Registry;

/// Loads a model file: ONNX (linnet/onnx.h), PyTorch (load_pt2), or ONNX Runtime's format. The contents determine
/// which.
/// Throws as load_onnx() and load_pt2() do. With a registry, the model may use the operators in it.
LINNET_API Model load(const std::string& path, const ModelOptions& options = {});
LINNET_API Model load(const std::string& path, const ModelOptions& options, const Registry& registry);

/// Loads a model from memory. External data of ONNX models is looked up in `folder`.
LINNET_API Model load_bytes(std::span<const std::byte> bytes, const std::string& folder = {},
                            const ModelOptions& options = {});
LINNET_API Model load_bytes(std::span<const std::byte> bytes, const std::string& folder, const ModelOptions& options,
                            const Registry& registry);

/// Loads a model from the text that save_onnx_bytes() returns.
inline Model load_bytes(std::string_view bytes, const std::string& folder = {}, const ModelOptions& options = {}) {
  return load_bytes(std::as_bytes(std::span(bytes)), folder, options);
}

/// Loads a model from an open regular file, read from its beginning. The descriptor stays open.
LINNET_API Model load_fd(int fd, const std::string& folder = {}, const ModelOptions& options = {});
LINNET_API Model load_fd(int fd, const std::string& folder, const ModelOptions& options, const Registry& registry);

/// Loads a program that torch.export.save of PyTorch 2.9 or newer wrote (.pt2), without PyTorch.
/// Inputs have the names of the program's signature; open dims have the names of its symbols.
///
/// A buffer that the program changes becomes an input and an output `NAME.next`. The input defaults to the buffer's
/// first value; to continue, pass `NAME.next` of one run as the input of the next.
/// Throws
/// - Error(kIo) if the file cannot be read,
/// - Error(kModel) if it is malformed,
/// - Error(kUnsupported) for what Linnet has no rule for, for what only Python can read, and in builds without
///   LINNET_BUILD_PT2,
/// - Error(kLimit) beyond options.limits.
///
/// Source of the format: https://docs.pytorch.org/docs/stable/export/pt2_archive.html
LINNET_API Model load_pt2(const std::string& path, const ModelOptions& options = {});
LINNET_API Model load_pt2(const std::string& path, const ModelOptions& options, const Registry& registry);

/// Loads a program from memory.
LINNET_API Model load_pt2_bytes(std::span<const std::byte> bytes, const ModelOptions& options = {});
LINNET_API Model load_pt2_bytes(std::span<const std::byte> bytes, const ModelOptions& options,
                                const Registry& registry);

}  // namespace linnet
