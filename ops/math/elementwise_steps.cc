#include "math/elementwise_steps.h"

#include "functions/function_table.h"
#include "linnet/error.h"

namespace linnet {
namespace {

template <class T>
const std::vector<T>& list(const NodeSpec& node, const char* name, size_t steps) {
  const auto& result = node.attr<std::vector<T>>(name);
  if (result.size() == steps) return result;
  throw Error(ErrorKind::kModel, str("attribute ", name, " must have ", steps, " entries, got ", result.size()));
}

void check(const ElementwiseSteps::Step& step, int64_t operands) {
  const bool binary = binary_function(step.op) != nullptr;
  const UnaryFunction* unary = unary_function(step.op);
  if (!binary && !(unary && unary->kernel)) throw Error(ErrorKind::kModel, str("a chain cannot hold '", step.op, "'"));
  const auto exists = [&](int64_t operand) { return operand >= 0 && operand < operands; };
  if (exists(step.first) && (binary ? exists(step.second) : step.second == -1)) return;
  throw Error(ErrorKind::kModel,
              str("'", step.op, "' has operands ", step.first, " and ", step.second, ", of ", operands));
}

}  // namespace

ElementwiseSteps::ElementwiseSteps(const NodeSpec& node, int64_t count) : inputs(count) {
  const auto& ops = node.attr<std::vector<std::string>>("ops");
  if (ops.empty() || int64_t(ops.size()) > kMostChainSteps) {
    throw Error(ErrorKind::kModel, str("expected 1 to ", kMostChainSteps, " steps, got ", ops.size()));
  }
  const auto &first = list<int64_t>(node, "first", ops.size()), &second = list<int64_t>(node, "second", ops.size());
  const auto &alpha = list<float>(node, "alpha", ops.size()), &beta = list<float>(node, "beta", ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    steps.push_back({ops[i], first[i], second[i], alpha[i], beta[i]});
    check(steps.back(), inputs + int64_t(i));
  }
}

void ElementwiseSteps::write(NodeSpec& node) const {
  std::vector<std::string> ops;
  std::vector<int64_t> first, second;
  std::vector<float> alpha, beta;
  for (const Step& step : steps) {
    ops.push_back(step.op);
    first.push_back(step.first);
    second.push_back(step.second);
    alpha.push_back(step.alpha);
    beta.push_back(step.beta);
  }
  node.attributes = {{"ops", ops}, {"first", first}, {"second", second}, {"alpha", alpha}, {"beta", beta}};
}

}  // namespace linnet
