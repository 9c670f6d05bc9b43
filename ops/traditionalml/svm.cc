#include "traditionalml/svm.h"

#include <algorithm>
#include <cmath>

#include "traditionalml/attribute_list.h"

namespace linnet {

SvmKernel::SvmKernel(const NodeSpec& node) {
  const std::string type = node.attr_or("kernel_type", "LINEAR");
  static constexpr const char* kNames[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
  const auto* found = std::find(std::begin(kNames), std::end(kNames), type);
  if (found == std::end(kNames)) throw_value("kernel_type", "'" + type + "'", "LINEAR, POLY, RBF or SIGMOID");
  type_ = Type(found - std::begin(kNames));
  const auto params = attribute_list<float>(node, "kernel_params");
  if (params.empty()) return;
  require_length("kernel_params", params.size(), 3);
  gamma_ = params[0];
  coef0_ = params[1];
  degree_ = params[2];
}

void SvmKernel::compute(const SvmFunctions& functions, const double* x, int rows, const DotVectors& vectors,
                        double* values) const {
  const int64_t count = rows * vectors.count();
  const void* scaled[] = {values};
  if (type_ == Type::kRbf) {
    vectors.sums(functions.dots.distances, x, rows, values);
    for (int64_t i = 0; i < count; ++i) values[i] *= -gamma_;
    return functions.doubles.exp(scaled, values, count);
  }
  vectors.sums(functions.dots.products, x, rows, values);
  if (type_ == Type::kLinear) return;
  for (int64_t i = 0; i < count; ++i) values[i] = gamma_ * values[i] + coef0_;
  if (type_ == Type::kSigmoid) return functions.doubles.tanh(scaled, values, count);
  for (int64_t i = 0; i < count; ++i) values[i] = std::pow(values[i], degree_);
}

namespace {

DotVectors support_vectors_of(const NodeSpec& node, int64_t count) {
  const auto vectors = attribute_list<float>(node, "support_vectors");
  const auto values = int64_t(vectors.size());
  if (values % count != 0) {
    throw Error(ErrorKind::kModel, str("support_vectors must be a multiple of ", count, " values, got ", values));
  }
  return {vectors, count};
}

}  // namespace

SupportVectors::SupportVectors(const NodeSpec& node, int64_t count)
    : kernel_(node), vectors_(support_vectors_of(node, count)) {}

void SupportVectors::compute(const SvmFunctions& functions, const double* x, int rows, double* values) const {
  kernel_.compute(functions, x, rows, vectors_, values);
}

}  // namespace linnet
