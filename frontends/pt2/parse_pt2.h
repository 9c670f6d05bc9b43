#pragma once

#include <memory>

#include "onnx/parse.h"

namespace linnet::pt2 {

/// Reads a program of torch.export.save and converts it to an ONNX message. Its weights are not in the message: they
/// stay in the archive. Throws Error(kModel) for a malformed archive, Error(kUnsupported) for operators without a rule
/// and for features of newer versions, Error(kLimit) beyond the limits.
ParsedModel parse_pt2(std::shared_ptr<const ByteSource> source, const Limits& limits);

}  // namespace linnet::pt2
