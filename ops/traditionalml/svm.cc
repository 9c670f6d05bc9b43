#include "traditionalml/svm.h"

#include <algorithm>
#include <cmath>

#include "partition/checkpoints.h"

namespace linnet {

SvmKernel::SvmKernel(const NodeSpec& node) {
  const std::string type = node.attr_or("kernel_type", "LINEAR");
  static constexpr const char* kNames[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
  const auto* found = std::find(std::begin(kNames), std::end(kNames), type);
  if (found == std::end(kNames)) throw_value("kernel_type", "'" + type + "'", "LINEAR, POLY, RBF or SIGMOID");
  type_ = Type(found - std::begin(kNames));
  const auto params = node.attr_or("kernel_params", std::vector<float>{});
  if (params.empty()) return;
  require_length("kernel_params", params.size(), 3);
  gamma_ = params[0];
  coef0_ = params[1];
  degree_ = params[2];
}

double SvmKernel::operator()(const double* a, const float* b, int64_t n) const {
  if (type_ == Type::kRbf) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += (a[i] - double(b[i])) * (a[i] - double(b[i]));
    return std::exp(-gamma_ * sum);
  }
  const double product = dot(a, b, n);
  if (type_ == Type::kLinear) return product;
  const double scaled = gamma_ * product + coef0_;
  return type_ == Type::kPoly ? std::pow(scaled, degree_) : std::tanh(scaled);
}

SupportVectors::SupportVectors(const NodeSpec& node, int64_t count)
    : kernel_(node), vectors_(node.attr_or("support_vectors", std::vector<float>{})), count_(count) {
  const auto values = int64_t(vectors_.size());
  if (values % count_ != 0) {
    throw Error(ErrorKind::kModel, str("support_vectors must be a multiple of ", count_, " values, got ", values));
  }
  width_ = values / count_;
}

void SupportVectors::compute(const double* x, double* values) const {
  Checkpoints checkpoints;
  for (int64_t i = 0; i < count_; ++i) {
    values[i] = kernel_(x, vectors_.data() + i * width_, width_);
    checkpoints.add(64 + width_);
  }
}

}  // namespace linnet
