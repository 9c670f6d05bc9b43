#pragma once

#include <array>
#include <cmath>

#include "elements/dispatch.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "partition/parallel.h"

// The optimisers of domain ai.onnx.preview.training.
// Inputs: R (learning rate), T (update count), then all tensors X, all gradients G, and all tensors of each state.
// Outputs: all new X, and all tensors of each new state.
namespace linnet {

/// One element before and after a step. A rule uses the first kStates states.
struct OptimizerElement {
  double x, gradient;
  std::array<double, 2> states;
};

template <class Rule, class T>
class OptimizerKernel final : public Kernel {
 public:
  OptimizerKernel(const Rule& rule, const CompileInput& in)
      : rule_(rule), tensors_((in.num_inputs() - 2) / (2 + Rule::kStates)) {}

  void run(KernelContext& context) const override {
    const Tensor& rate = context.input(0);
    const double r = rate.dtype() == DType::kFloat64 ? *rate.data<double>() : double(*rate.data<float>());
    const auto step = rule_.step(r, double(*context.input(1).data<int64_t>()));
    for (int i = 0; i < tensors_; ++i) update(context, step, i);
  }

 private:
  template <class Step>
  void update(KernelContext& context, const Step& step, int tensor) const {
    const auto input = [&](int kind) { return context.input(2 + kind * tensors_ + tensor).template data<T>(); };
    const auto output = [&](int kind) { return context.output(kind * tensors_ + tensor).template data<T>(); };
    const T *x = input(0), *gradient = input(1);
    std::array<const T*, Rule::kStates> states;
    std::array<T*, Rule::kStates> new_states;
    for (int s = 0; s < Rule::kStates; ++s) {
      states[size_t(s)] = input(2 + s);
      new_states[size_t(s)] = output(1 + s);
    }
    T* y = output(0);
    parallel_items(context.executor(), context.input(2 + tensor).size(), 4, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        OptimizerElement element{double(x[i]), double(gradient[i]), {}};
        for (size_t s = 0; s < states.size(); ++s) element.states[s] = double(states[s][i]);
        step(element);
        y[i] = T(element.x);
        for (size_t s = 0; s < states.size(); ++s) new_states[s][i] = T(element.states[s]);
      }
    });
  }

  Rule rule_;
  int tensors_;
};

/// An optimiser. Rule is constructed from the node and has kStates and step(r, t), which returns a function that
/// updates an OptimizerElement.
/// R: float/double; T: int64; one element each.
/// X, G, states: float/double, of one shape for each tensor.
template <class Rule>
class Optimizer final : public Op {
 public:
  explicit Optimizer(const NodeSpec& node) : rule_(node), outputs_(node.num_outputs) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    constexpr int kKinds = 2 + Rule::kStates;
    const int tensors = (int(in.size()) - 2) / kKinds;
    require_inputs(in, int(in.size()), int(in.size()));
    if (tensors < 1 || int(in.size()) != 2 + kKinds * tensors || outputs_ > (kKinds - 1) * tensors) {
      throw Error(ErrorKind::kModel, str("expected R, T, ", kKinds, " inputs and at most ", kKinds - 1,
                                         " outputs for each tensor, got ", in.size(), " and ", outputs_));
    }
    require_real(in[0], "R");
    require_dtype(in[1], DType::kInt64, "T");
    for (const Fact& fact : in.first(2)) require_one_element(fact, "each of R and T");
    std::vector<Fact> out;
    for (int kind = 0; kind < kKinds; ++kind) {
      for (int i = 0; i < tensors; ++i) {
        const Fact &x = in[size_t(2 + i)], &other = in[size_t(2 + kind * tensors + i)];
        check_like(x, other);
        if (kind != 1) out.push_back(same_as(x)[0]);
      }
    }
    return out;
  }

  KernelPtr compile(const CompileInput& in) const override {
    if (in.dtype(2) == DType::kFloat64) return std::make_unique<OptimizerKernel<Rule, double>>(rule_, in);
    return std::make_unique<OptimizerKernel<Rule, float>>(rule_, in);
  }

 private:
  static void require_real(const Fact& fact, const char* name) {
    static constexpr std::array kTypes{DType::kFloat32, DType::kFloat64};
    require_dtype_in(fact, kTypes, name);
  }

  static void check_like(const Fact& x, const Fact& other) {
    require_real(x, "X");
    require_same_dtype(x, other, "a tensor, its gradient and its states");
    if (!compatible(x, other)) {
      throw Error(ErrorKind::kShape, str("gradient and states must have the shape of ", x, ", got ", other));
    }
  }

  Rule rule_;
  int outputs_;
};

}  // namespace linnet
