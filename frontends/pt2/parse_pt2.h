#pragma once

#include <memory>

#include "onnx/parse.h"

namespace linnet::pt2 {

/// Reads a program of torch.export.save, and writes it as a message of ONNX. Its weights are not in the message: they
/// stay where they are in the archive. Throws Error(kModel) for a malformed archive, Error(kUnsupported) for operators
/// that have no rule, and for what only newer versions know, Error(kLimit) beyond the limits.
ParsedModel parse_pt2(std::shared_ptr<const ByteSource> source, const Limits& limits);

}  // namespace linnet::pt2
