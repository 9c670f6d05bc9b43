#include "elementwise/elementwise_steps.h"

#include <cmath>

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

bool is_byte_step(std::string_view op) {
  return op == kDequantizeStep || op == kQuantizeUint8Step || op == kQuantizeInt8Step;
}

bool is_half_step(std::string_view op) { return op == kWidenStep || op == kFloat16Step || op == kBFloat16Step; }

void check_grid(const ElementwiseSteps::Step& step) {
  const float zero_point = step.beta;
  const float least = step.op == kQuantizeUint8Step ? 0.0f : -128.0f;
  const float greatest = step.op == kQuantizeInt8Step ? 127.0f : 255.0f;
  if (!(step.alpha > 0) || std::isinf(step.alpha)) {
    throw Error(ErrorKind::kModel, str("'", step.op, "' must have a positive, finite scale, got ", step.alpha));
  }
  if (!(zero_point >= least && zero_point <= greatest) || zero_point != std::trunc(zero_point)) {
    throw Error(ErrorKind::kModel, str("'", step.op, "' has the zero point ", zero_point, ", which is no byte"));
  }
}

void check(const ElementwiseSteps::Step& step, int64_t operands) {
  const bool binary = binary_function(step.op) != nullptr;
  const UnaryFunction* unary = unary_function(step.op);
  if (is_byte_step(step.op))
    check_grid(step);
  else if (!is_half_step(step.op) && !binary && !(unary && unary->kernel))
    throw Error(ErrorKind::kModel, str("a chain cannot hold '", step.op, "'"));
  const auto exists = [&](int64_t operand) { return operand >= 0 && operand < operands; };
  if (exists(step.first) && (binary ? exists(step.second) : step.second == -1)) return;
  throw Error(ErrorKind::kModel,
              str("'", step.op, "' has operands ", step.first, " and ", step.second, ", of ", operands));
}

bool takes(const ElementwiseSteps::Step& step, DType dtype) {
  if (step.op == kWidenStep) return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  if (step.op != kDequantizeStep) return dtype == DType::kFloat32;
  return dtype == DType::kUint8 ? step.beta >= 0 : dtype == DType::kInt8 && step.beta <= 127;
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

std::vector<DType> ElementwiseSteps::dtypes(std::span<const DType> of_inputs) const {
  std::vector<DType> result(of_inputs.begin(), of_inputs.end());
  for (const Step& step : steps) {
    for (const int64_t operand : {step.first, step.second}) {
      if (operand < 0 || takes(step, result[size_t(operand)])) continue;
      throw Error(ErrorKind::kType, str("'", step.op, "' with the parameters ", step.alpha, " and ", step.beta,
                                        " does not take ", result[size_t(operand)]));
    }
    result.push_back(step.op == kQuantizeUint8Step  ? DType::kUint8
                     : step.op == kQuantizeInt8Step ? DType::kInt8
                     : step.op == kFloat16Step      ? DType::kFloat16
                     : step.op == kBFloat16Step     ? DType::kBFloat16
                                                    : DType::kFloat32);
  }
  return result;
}

}  // namespace linnet
