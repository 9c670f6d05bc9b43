#include "rewrites/matching/broadcasting.h"

#include <algorithm>
#include <string_view>

#include "functions/function_table.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

// Besides those in the table of functions.
constexpr std::string_view kOthers[] = {
    "And",      "BitwiseAnd", "BitwiseNot", "BitwiseOr", "Cast", "Clip",        "Equal", "Greater", "GreaterOrEqual",
    "Identity", "IsInf",      "IsNaN",      "Less",      "Max",  "LessOrEqual", "Min",   "Mod",     "Not",
    "Or",       "Pow",        "Sum",        "Where",     "Xor"};

}  // namespace

bool broadcasts(const Node& node) {
  if (is_op(node, "Elementwise", kInternalDomain)) return true;
  if (!node.spec.domain.empty() || (node.spec.opset < 7 && node.inputs.size() == 2)) return false;
  return activation_of(node.spec) || binary_function(node.spec.op_type) ||
         std::ranges::count(kOthers, node.spec.op_type);
}

}  // namespace linnet
