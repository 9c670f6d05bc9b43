#include "elementwise/elementwise_chain.h"

#include <cmath>

#include "functions/function_table.h"
#include "linnet/error.h"

namespace linnet {
namespace {

template <class T>
const std::vector<T>& list(const NodeSpec& node, const char* name, size_t links) {
  const auto& result = node.attr<std::vector<T>>(name);
  if (result.size() == links) return result;
  throw Error(ErrorKind::kModel, str("attribute ", name, " must have ", links, " entries, got ", result.size()));
}

bool is_byte_link(std::string_view op) {
  return op == kDequantizeLink || op == kQuantizeUint8Link || op == kQuantizeInt8Link;
}

bool is_half_link(std::string_view op) { return op == kWidenLink || op == kFloat16Link || op == kBFloat16Link; }

void check_grid(const ElementwiseChain::Link& link) {
  const float zero_point = link.beta;
  const float least = link.op == kQuantizeUint8Link ? 0.0f : -128.0f;
  const float greatest = link.op == kQuantizeInt8Link ? 127.0f : 255.0f;
  if (!(link.alpha > 0) || std::isinf(link.alpha)) {
    throw Error(ErrorKind::kModel, str("'", link.op, "' must have a positive, finite scale, got ", link.alpha));
  }
  if (!(zero_point >= least && zero_point <= greatest) || zero_point != std::trunc(zero_point)) {
    throw Error(ErrorKind::kModel, str("'", link.op, "' has the zero point ", zero_point, ", which is not a byte"));
  }
}

void check(const ElementwiseChain::Link& link, int64_t operands) {
  const bool binary = binary_function(link.op) != nullptr;
  const UnaryFunction* unary = unary_function(link.op);
  if (is_byte_link(link.op))
    check_grid(link);
  else if (!is_half_link(link.op) && !binary && !(unary && unary->kernel))
    throw Error(ErrorKind::kModel, str("a chain cannot hold '", link.op, "'"));
  const auto exists = [&](int64_t operand) { return operand >= 0 && operand < operands; };
  if (exists(link.first) && (binary ? exists(link.second) : link.second == -1)) return;
  throw Error(ErrorKind::kModel,
              str("'", link.op, "' has operands ", link.first, " and ", link.second, ", of ", operands));
}

bool takes(const ElementwiseChain::Link& link, DType dtype) {
  if (link.op == kWidenLink) return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  if (link.op != kDequantizeLink) return dtype == DType::kFloat32;
  return dtype == DType::kUint8 ? link.beta >= 0 : dtype == DType::kInt8 && link.beta <= 127;
}

}  // namespace

ElementwiseChain::ElementwiseChain(const NodeSpec& node, int64_t count) : inputs(count) {
  const auto& ops = node.attr<std::vector<std::string>>("ops");
  if (ops.empty() || int64_t(ops.size()) > kMostChainLinks) {
    throw Error(ErrorKind::kModel, str("expected 1 to ", kMostChainLinks, " links, got ", ops.size()));
  }
  const auto &first = list<int64_t>(node, "first", ops.size()), &second = list<int64_t>(node, "second", ops.size());
  const auto &alpha = list<float>(node, "alpha", ops.size()), &beta = list<float>(node, "beta", ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    links.push_back({ops[i], first[i], second[i], alpha[i], beta[i]});
    check(links.back(), inputs + int64_t(i));
  }
}

void ElementwiseChain::write(NodeSpec& node) const {
  std::vector<std::string> ops;
  std::vector<int64_t> first, second;
  std::vector<float> alpha, beta;
  for (const Link& link : links) {
    ops.push_back(link.op);
    first.push_back(link.first);
    second.push_back(link.second);
    alpha.push_back(link.alpha);
    beta.push_back(link.beta);
  }
  node.attributes = {{"ops", ops}, {"first", first}, {"second", second}, {"alpha", alpha}, {"beta", beta}};
}

std::vector<DType> ElementwiseChain::dtypes(std::span<const DType> of_inputs) const {
  std::vector<DType> result(of_inputs.begin(), of_inputs.end());
  for (const Link& link : links) {
    for (const int64_t operand : {link.first, link.second}) {
      if (operand < 0 || takes(link, result[size_t(operand)])) continue;
      throw Error(ErrorKind::kType, str("'", link.op, "' with the parameters ", link.alpha, " and ", link.beta,
                                        " does not take ", result[size_t(operand)]));
    }
    result.push_back(link.op == kQuantizeUint8Link  ? DType::kUint8
                     : link.op == kQuantizeInt8Link ? DType::kInt8
                     : link.op == kFloat16Link      ? DType::kFloat16
                     : link.op == kBFloat16Link     ? DType::kBFloat16
                                                    : DType::kFloat32);
  }
  return result;
}

}  // namespace linnet
