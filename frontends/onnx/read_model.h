#pragma once

#include <memory>

#include "parse.h"

namespace linnet {

/// The formats of model files.
enum class Format {
  kAny,  ///< determined by the contents
  kOnnx,
  kPt2,  ///< of torch.export.save
  kOrt,  ///< of ONNX Runtime
};

/// Whether the contents begin as those of the format do.
bool begins_as(const ByteSource& source, Format format);

/// Reads a model of a format. Throws as parse_model(), pt2::parse_pt2() and ort_format::parse_ort() do. Throws
/// Error(kUnsupported) for PyTorch programs in a build without LINNET_BUILD_PT2, and for ONNX Runtime's format in one
/// without LINNET_BUILD_ORT_FORMAT.
ParsedModel read_model(std::unique_ptr<const ByteSource> source, Format format, const Limits& limits);

}  // namespace linnet
