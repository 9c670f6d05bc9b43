#pragma once

#include <vector>

#include "onnx/byte_source.h"
#include "zip_directory.h"

namespace linnet::pt2 {

class Archive;

/// Throws Error(kModel) if a file does not begin as a ZIP does. The message names the format that it resembles and
/// advises what to do.
void check_is_zip(const ByteSource& file);

/// Throws the error that fits a ZIP without a folder that contains an archive_format.
[[noreturn]] void throw_other_archive(const std::vector<ZipEntry>& entries);

/// Throws Error(kUnsupported) for archives of torch.export without a program in the layout of PyTorch 2.9 or newer.
void check_layout(const Archive& archive);

}  // namespace linnet::pt2
