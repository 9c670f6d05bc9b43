#include "rnn/gate_function.h"

#include "linnet/error.h"

namespace linnet {
namespace {

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}

// Names are case-insensitive.
const UnaryFunction& function_of(const std::string& name) {
  for (const UnaryFunction& function : unary_functions()) {
    if (function.kernel && lower_case(std::string(function.name)) == lower_case(name)) return function;
  }
  throw Error(ErrorKind::kModel, str("activations: '", name, "' is unknown"));
}

/// Reads the values of an attribute in order, then the defaults.
class Parameters {
 public:
  Parameters(const NodeSpec& node, const std::string& name) : values_(node.attr_or(name, std::vector<float>{})) {}
  float next(const Parameter& parameter) {
    return parameter.attribute && used_ < values_.size() ? values_[used_++] : parameter.fallback;
  }

 private:
  std::vector<float> values_;
  size_t used_ = 0;
};

}  // namespace

std::vector<Activation> gate_activations(const NodeSpec& node, const std::vector<std::string>& defaults,
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
  std::vector<Activation> result;
  for (const std::string& name : names) {
    const UnaryFunction& function = function_of(name);
    result.push_back({&function, alpha.next(function.alpha), beta.next(function.beta)});
  }
  return result;
}

GateFunction<float> make_gate_function(const Activation& activation, const UnaryKernels& kernels, float) {
  return [f = kernels.*activation.function->kernel, alpha = activation.alpha, beta = activation.beta](
             float* x, int64_t n) { f(x, x, n, alpha, beta); };
}

GateFunction<double> make_gate_function(const Activation& activation, const UnaryKernels&, double) {
  return [f = activation.function->scalar(DType::kFloat64), alpha = activation.alpha, beta = activation.beta](
             double* x, int64_t n) { f(x, x, n, alpha, beta); };
}

}  // namespace linnet
