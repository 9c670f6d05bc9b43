#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "linnet/options.h"
#include "proto.h"

namespace linnet {

/// Parses a model file. Throws Error(kIo) when it cannot be read, Error(kLimit) beyond limits.file_bytes or the
/// format's own 2 GiB, Error(kModel) when it is no ONNX model; the message says what the file looks like instead.
std::unique_ptr<pb::ModelProto> parse_model_file(const std::string& path, const Limits& limits);

/// The same for a model in memory.
std::unique_ptr<pb::ModelProto> parse_model_bytes(std::span<const std::byte> bytes, const Limits& limits);

}  // namespace linnet
