#pragma once

#include <span>
#include <string>
#include <string_view>

#include "linnet/model.h"

namespace linnet {

class Registry;

/// Loads a model file of either format, which its contents tell apart: ONNX (linnet/onnx.h) or PyTorch's (load_pt2).
/// Throws as load_onnx() and load_pt2() do.
LINNET_API Model load(const std::string& path, const ModelOptions& options = {});
LINNET_API Model load(const std::string& path, const ModelOptions& options, const Registry& registry);

/// The same from memory; external data of ONNX models is then looked up in `folder`.
LINNET_API Model load_bytes(std::span<const std::byte> bytes, const std::string& folder = {},
                            const ModelOptions& options = {});
LINNET_API Model load_bytes(std::span<const std::byte> bytes, const std::string& folder, const ModelOptions& options,
                            const Registry& registry);

inline Model load_bytes(std::string_view bytes, const std::string& folder = {}, const ModelOptions& options = {}) {
  return load_bytes(std::as_bytes(std::span(bytes)), folder, options);
}

/// The same from an open regular file, read from its beginning; it stays open.
LINNET_API Model load_fd(int fd, const std::string& folder = {}, const ModelOptions& options = {});
LINNET_API Model load_fd(int fd, const std::string& folder, const ModelOptions& options, const Registry& registry);

/// Loads a program that torch.export.save wrote, PyTorch 2.9 or newer (.pt2), without PyTorch. Inputs have the names of
/// the program's signature; open dims those of its symbols. A buffer that the program changes is an input that has its
/// first value where none is given, and an output NAME.next: the input of the next run.
/// Throws Error(kIo) when the file cannot be read, Error(kModel) when it is malformed, Error(kUnsupported) for what
/// Linnet has no rule for, what only Python can read, and builds without LINNET_BUILD_PT2, Error(kLimit) beyond
/// options.limits.
/// Source of the format: https://docs.pytorch.org/docs/stable/export/pt2_archive.html
LINNET_API Model load_pt2(const std::string& path, const ModelOptions& options = {});
LINNET_API Model load_pt2(const std::string& path, const ModelOptions& options, const Registry& registry);

/// The same from memory.
LINNET_API Model load_pt2_bytes(std::span<const std::byte> bytes, const ModelOptions& options = {});
LINNET_API Model load_pt2_bytes(std::span<const std::byte> bytes, const ModelOptions& options,
                                const Registry& registry);

}  // namespace linnet
