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

void SvmKernel::compute(const KernelTable& kernels, const double* x, const float* vectors, int64_t count, int64_t width,
                        double* values) const {
  if (type_ == Type::kRbf) {
    kernels.dots.distances(x, vectors, count, width, values);
    for (int64_t i = 0; i < count; ++i) values[i] *= -gamma_;
    const void* scaled[] = {values};
    return kernels.number_unary.doubles.exp(scaled, values, count);
  }
  kernels.dots.products(x, vectors, count, width, values);
  if (type_ == Type::kLinear) return;
  for (int64_t i = 0; i < count; ++i) values[i] = gamma_ * values[i] + coef0_;
  const void* scaled[] = {values};
  if (type_ == Type::kSigmoid) return kernels.number_unary.doubles.tanh(scaled, values, count);
  for (int64_t i = 0; i < count; ++i) values[i] = std::pow(values[i], degree_);
}

SupportVectors::SupportVectors(const NodeSpec& node, int64_t count)
    : kernel_(node), vectors_(node.attr_or("support_vectors", std::vector<float>{})), count_(count) {
  const auto values = int64_t(vectors_.size());
  if (values % count_ != 0) {
    throw Error(ErrorKind::kModel, str("support_vectors must be a multiple of ", count_, " values, got ", values));
  }
  width_ = values / count_;
}

void SupportVectors::compute(const KernelTable& kernels, const double* x, double* values) const {
  Checkpoints checkpoints;
  checkpoints.in_parts(count_, 64 + width_, [&](int64_t i, int64_t end) {
    kernel_.compute(kernels, x, vectors_.data() + i * width_, end - i, width_, values + i);
  });
}

}  // namespace linnet
