#pragma once

#include "inputs.h"
#include "options.h"

namespace linnet::exporter::torchscript {

/// Runs the written file with Linnet on random inputs, on other sizes of dynamic axes and on edge values, and compares
/// every output with PyTorch's. If an output differs, also compares the values inside, up to the first node that
/// differs. Prints a summary and writes the report to "<output>.check.json". Returns kOk or kDifference.
ExitCode check_export(const torch::jit::Module& module, const ExampleInputs& inputs, const Lowerings& lowerings,
                      const Options& options);

}  // namespace linnet::exporter::torchscript
