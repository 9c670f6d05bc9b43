#pragma once

#include <vector>

#include "linnet/lowering.h"
#include "onnx_graph.h"
#include "site.h"
#include "value.h"

namespace linnet::exporter {

/// Returns the rule of an operator, or nullptr if it is missing. Calls with complex tensors have separate rules, named
/// "complex " followed by the operator, except for operators whose rules also serve pairs of parts.
/// operator_name: the operator without its writes; the site may name the variant that writes.
/// Throws ExportError if a call with complex tensors has no rule.
const Lowering* find_rule(const Lowerings& rules, const std::string& operator_name, const Site& site,
                          const std::vector<Value>& arguments, const std::vector<Value>& results);

/// Calls a rule once for each example, and names the results. The rule must write the same nodes each time: the graph
/// may contain no size that is not the same in all examples. Returns whether sizes depend on contents of the inputs,
/// according to the rule. Throws ExportError if the nodes differ, and what the rule throws.
bool lower_call(const Site& site, const Lowering& rule, const std::vector<Value>& arguments,
                std::vector<Value>& results, OnnxBuilder& builder, size_t examples);

}  // namespace linnet::exporter
