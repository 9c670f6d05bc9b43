#pragma once

#include <memory>

#include "onnx/parse.h"

namespace linnet::ort_format {

/// Reads a model in ONNX Runtime's own format, whose operators may be those that it makes of others.
/// Throws Error(kIo) when it cannot be read, Error(kLimit) beyond limits.file_bytes, limits.depth, Error(kModel) when
/// it is malformed, Error(kUnsupported) for weights in other files.
ParsedModel parse_ort(std::shared_ptr<const ByteSource> source, const Limits& limits);

}  // namespace linnet::ort_format
