#include "rnn/gate_function.h"

#include <algorithm>
#include <cmath>

#include "linnet/error.h"

namespace linnet {
namespace {

/// What an activation takes, and what it is in both precisions.
struct GateKind {
  const char* name;
  int parameters;  ///< alpha, or alpha and beta
  float alpha;
  float beta;
  UnaryKernels::F UnaryKernels::*kernel;
  double (*function)(double x, double alpha, double beta);
};

constexpr GateKind kKinds[] = {
    {"relu", 0, 0, 0, &UnaryKernels::relu, [](double x, double, double) { return x < 0 ? 0 : x; }},
    {"tanh", 0, 0, 0, &UnaryKernels::tanh, [](double x, double, double) { return std::tanh(x); }},
    {"sigmoid", 0, 0, 0, &UnaryKernels::sigmoid, [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
    {"affine", 2, 1, 0, &UnaryKernels::scale, [](double x, double a, double b) { return a * x + b; }},
    {"leakyrelu", 1, 0.01f, 0, &UnaryKernels::leaky_relu, [](double x, double a, double) { return x < 0 ? a * x : x; }},
    {"thresholdedrelu", 1, 1, 0, &UnaryKernels::thresholded_relu,
     [](double x, double a, double) { return x <= a ? 0 : x; }},
    {"scaledtanh", 2, 1, 1, &UnaryKernels::tanh, [](double x, double a, double b) { return a * std::tanh(b * x); }},
    {"hardsigmoid", 2, 0.2f, 0.5f, &UnaryKernels::hard_sigmoid,
     [](double x, double a, double b) { return std::min(std::max(a * x + b, 0.0), 1.0); }},
    {"elu", 1, 1, 0, &UnaryKernels::elu, [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }},
    {"softsign", 0, 0, 0, &UnaryKernels::softsign, [](double x, double, double) { return x / (1 + std::abs(x)); }},
    {"softplus", 0, 0, 0, &UnaryKernels::softplus,
     [](double x, double, double) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }},
};

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}

const GateKind& kind_of(const std::string& name) {
  for (const GateKind& kind : kKinds) {
    if (lower_case(name) == kind.name) return kind;
  }
  throw Error(ErrorKind::kModel, str("activations: '", name, "' is unknown"));
}

/// The values of an attribute, one after the other, then the defaults.
class Parameters {
 public:
  Parameters(const NodeSpec& node, const std::string& name) : values_(node.attr_or(name, std::vector<float>{})) {}
  float next(float fallback) { return used_ < values_.size() ? values_[used_++] : fallback; }

 private:
  std::vector<float> values_;
  size_t used_ = 0;
};

}  // namespace

std::vector<GateActivation> gate_activations(const NodeSpec& node, const std::vector<std::string>& defaults,
                                             int directions) {
  std::vector<std::string> names = node.attr_or("activations", std::vector<std::string>{});
  const size_t count = defaults.size() * size_t(directions);
  if (names.empty()) {
    for (size_t i = 0; i < count; ++i) names.push_back(defaults[i % defaults.size()]);
  }
  if (names.size() != count) {
    throw Error(ErrorKind::kModel, str("activations must name ", count, " functions, got ", names.size()));
  }
  Parameters alpha(node, "activation_alpha"), beta(node, "activation_beta");
  std::vector<GateActivation> result;
  for (const std::string& name : names) {
    const GateKind& kind = kind_of(name);
    GateActivation activation{kind.name, kind.alpha, kind.beta};
    if (kind.parameters > 0) activation.alpha = alpha.next(kind.alpha);
    if (kind.parameters > 1) activation.beta = beta.next(kind.beta);
    result.push_back(activation);
  }
  return result;
}

GateFunction<float> make_gate_function(const GateActivation& activation, const UnaryKernels& kernels, float) {
  const auto function = kernels.*kind_of(activation.name).kernel;
  const auto [name, alpha, beta] = activation;
  if (name == "scaledtanh") {
    return [function, scale = kernels.scale, alpha = alpha, beta = beta](float* x, int64_t n) {
      scale(x, x, n, beta, 0);
      function(x, x, n, 0, 0);
      scale(x, x, n, alpha, 0);
    };
  }
  return [function, alpha = alpha, beta = beta](float* x, int64_t n) { function(x, x, n, alpha, beta); };
}

GateFunction<double> make_gate_function(const GateActivation& activation, const UnaryKernels&, double) {
  const auto function = kind_of(activation.name).function;
  return [function, alpha = double(activation.alpha), beta = double(activation.beta)](double* x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) x[i] = function(x[i], alpha, beta);
  };
}

}  // namespace linnet
