#include "math/elementwise_steps.h"

#include "linnet/error.h"

namespace linnet {
namespace {

struct UnaryStep {
  const char* name;
  UnaryKernels::F UnaryKernels::*kernel;
};

constexpr UnaryStep kUnary[] = {
    {"Abs", &UnaryKernels::abs},
    {"Ceil", &UnaryKernels::ceil},
    {"Clip", &UnaryKernels::clip},
    {"Cos", &UnaryKernels::cos},
    {"Elu", &UnaryKernels::elu},
    {"Erf", &UnaryKernels::erf},
    {"Exp", &UnaryKernels::exp},
    {"Floor", &UnaryKernels::floor},
    {"Gelu", &UnaryKernels::gelu},
    {"GeluTanh", &UnaryKernels::gelu_tanh},
    {"HardSigmoid", &UnaryKernels::hard_sigmoid},
    {"HardSwish", &UnaryKernels::hard_swish},
    {"LeakyRelu", &UnaryKernels::leaky_relu},
    {"Log", &UnaryKernels::log},
    {"Mish", &UnaryKernels::mish},
    {"Neg", &UnaryKernels::neg},
    {"Reciprocal", &UnaryKernels::reciprocal},
    {"Relu", &UnaryKernels::relu},
    {"Round", &UnaryKernels::round},
    {"Sigmoid", &UnaryKernels::sigmoid},
    {"Sin", &UnaryKernels::sin},
    {"Softplus", &UnaryKernels::softplus},
    {"Softsign", &UnaryKernels::softsign},
    {"Sqrt", &UnaryKernels::sqrt},
    {"Swish", &UnaryKernels::swish},
    {"Tanh", &UnaryKernels::tanh},
};

struct BinaryStep {
  const char* name;
  BinaryForms BinaryKernels::*kernel;
};

constexpr BinaryStep kBinary[] = {
    {"Add", &BinaryKernels::add},
    {"Div", &BinaryKernels::div},
    {"Mul", &BinaryKernels::mul},
    {"Sub", &BinaryKernels::sub},
};

template <class Rows>
auto find(const Rows& rows, const std::string& op) {
  for (const auto& row : rows) {
    if (op == row.name) return row.kernel;
  }
  return decltype(rows[0].kernel)(nullptr);
}

template <class T>
const std::vector<T>& list(const NodeSpec& node, const char* name, size_t steps) {
  const auto& result = node.attr<std::vector<T>>(name);
  if (result.size() == steps) return result;
  throw Error(ErrorKind::kModel, str("attribute ", name, " must have ", steps, " entries, got ", result.size()));
}

void check(const ElementwiseSteps::Step& step, int64_t operands) {
  const bool binary = binary_step(step.op) != nullptr;
  if (!binary && !unary_step(step.op)) throw Error(ErrorKind::kModel, str("a chain cannot hold '", step.op, "'"));
  const auto exists = [&](int64_t operand) { return operand >= 0 && operand < operands; };
  if (exists(step.first) && (binary ? exists(step.second) : step.second == -1)) return;
  throw Error(ErrorKind::kModel,
              str("'", step.op, "' has operands ", step.first, " and ", step.second, ", of ", operands));
}

}  // namespace

UnaryKernels::F UnaryKernels::*unary_step(const std::string& op) { return find(kUnary, op); }
BinaryForms BinaryKernels::*binary_step(const std::string& op) { return find(kBinary, op); }

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
