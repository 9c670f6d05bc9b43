#pragma once

#include <memory>

#include "onnx/parse.h"

namespace linnet::ort_format {

/// Reads a model in ONNX Runtime's own format, which may contain ONNX Runtime's fused operators.
/// Throws Error(kIo) if it cannot be read, Error(kLimit) beyond limits.file_bytes or limits.depth, Error(kModel) if it
/// is malformed, Error(kUnsupported) for weights in other files.
ParsedModel parse_ort(std::shared_ptr<const ByteSource> source, const Limits& limits);

}  // namespace linnet::ort_format
