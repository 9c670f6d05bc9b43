#pragma once

#include <vector>

#include "linnet/lowering.h"
#include "onnx_graph.h"
#include "site.h"
#include "value.h"

namespace linnet::exporter {

/// Calls a rule once for each example. It must write the same nodes each time: nothing of a size may stay in the graph
/// that is not the same for all sizes. Names the results. Returns whether the rule says that contents of the inputs
/// decide on sizes. Throws ExportError where the nodes differ, and what the rule throws.
bool lower_call(const Site& site, const Lowering& rule, const std::vector<Value>& arguments,
                std::vector<Value>& results, OnnxBuilder& builder, size_t examples);

}  // namespace linnet::exporter
