#pragma once

#include "linnet/lowering.h"
#include "options.h"

namespace linnet::exporter {

/// Loads a TorchScript file with LibTorch, writes it as ONNX and, if requested, checks it. Throws Failure, ExportError.
ExitCode export_torchscript(const Options& options, const Lowerings& lowerings);

}  // namespace linnet::exporter
