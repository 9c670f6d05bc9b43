#pragma once

#include "linnet/lowering.h"
#include "options.h"

namespace linnet::exporter {

/// Writes a TorchScript file, which LibTorch loads, as ONNX, and checks it where asked to. Throws Failure, ExportError.
ExitCode export_torchscript(const Options& options, const Lowerings& lowerings);

}  // namespace linnet::exporter
