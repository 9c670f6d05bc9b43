#pragma once

#include <vector>

#include "linnet/lowering.h"
#include "onnx_graph.h"
#include "site.h"
#include "value.h"

namespace linnet::exporter {

/// The rule of an operator, nullptr where there is none. Calls with complex tensors have rules of their own, under
/// "complex " and the operator's name, but for operators whose rules serve pairs of parts as well. operator_name: of
/// the operator without its writes, which the site may name. Throws ExportError where a call with complex tensors has
/// none.
const Lowering* find_rule(const Lowerings& rules, const std::string& operator_name, const Site& site,
                          const std::vector<Value>& arguments, const std::vector<Value>& results);

/// Calls a rule once for each example. It must write the same nodes each time: nothing of a size may stay in the graph
/// that is not the same for all sizes. Names the results. Returns whether the rule says that contents of the inputs
/// decide on sizes. Throws ExportError where the nodes differ, and what the rule throws.
bool lower_call(const Site& site, const Lowering& rule, const std::vector<Value>& arguments,
                std::vector<Value>& results, OnnxBuilder& builder, size_t examples);

}  // namespace linnet::exporter
