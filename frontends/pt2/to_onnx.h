#pragma once

#include "archive.h"
#include "exporter/onnx_graph.h"
#include "linnet/lowering.h"
#include "linnet/options.h"

namespace linnet::pt2 {

/// The graph of ONNX that rules make of an archive's program. Throws exporter::ExportError for operators that have
/// none, else as parse_pt2().
exporter::OnnxGraph to_onnx(const Archive& archive, const exporter::Lowerings& rules,
                            const exporter::ExportOptions& options, const Limits& limits = {});

}  // namespace linnet::pt2
