#pragma once

#include <string>

#include "linnet/lowering.h"
#include "options.h"

namespace linnet::exporter {

/// Whether a file is an archive of torch.export.save. Throws Failure(kLoad) if it cannot be read.
bool is_pt2(const std::string& path);

/// Writes a program of torch.export as ONNX. If requested, runs the file with Linnet and compares the results with the
/// samples in the archive. Throws Failure, ExportError, linnet::Error.
ExitCode export_pt2(const Options& options, const Lowerings& lowerings);

}  // namespace linnet::exporter
