#pragma once

#include <vector>

#include "onnx/byte_source.h"
#include "zip_directory.h"

namespace linnet::pt2 {

class Archive;

/// Throws Error(kModel) where a file does not begin as a ZIP does; the message says what it looks like instead, and
/// what to do.
void check_is_zip(const ByteSource& file);

/// Throws what fits a ZIP without a folder that holds an archive_format.
[[noreturn]] void throw_other_archive(const std::vector<ZipEntry>& entries);

/// Throws Error(kUnsupported) for archives of torch.export that hold no program in the layout of PyTorch 2.9 on.
void check_layout(const Archive& archive);

}  // namespace linnet::pt2
