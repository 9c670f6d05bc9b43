#pragma once

#include "archive.h"
#include "exporter/onnx_graph.h"
#include "linnet/lowering.h"
#include "linnet/options.h"

namespace linnet::pt2 {

/// Returns the ONNX graph that the rules make of an archive's program. Throws exporter::ExportError for operators
/// without a rule; otherwise throws as parse_pt2() does.
exporter::OnnxGraph to_onnx(const Archive& archive, const exporter::Lowerings& rules,
                            const exporter::ExportOptions& options, const Limits& limits = {});

}  // namespace linnet::pt2
