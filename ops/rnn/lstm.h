#pragma once

#include "rnn/recurrent_kernel.h"

namespace linnet {

/// The cell of an LSTM: its gates and their activations.
template <class C>
struct LstmCell {
  GateFunction<C> f, g, h;
  C limit;
  bool input_forget;

  template <class Product>
  void step(const Track<C>& track, const RecurrentSizes& s, const StepTimes& times, const Product& product) const {
    product(0, track.h, track.gates);
    const int64_t n = s.hidden;
    for (int64_t b = 0; b < s.batch; ++b) {
      const int64_t time = times(b);
      if (time < 0) continue;
      C* gates = track.gates + b * 4 * n;
      add_to(gates, track.x_gates + s.x_row(time, b) * 4 * n, 4 * n);
      update(gates, track.peepholes, track.h + b * n, track.c + b * n, n);
    }
  }

  /// Updates state and cell. gates: i, o, f, c as in the specification, before their activations.
  void update(C* gates, const C* peepholes, C* state, C* cell, int64_t n) const {
    C *input = gates, *output = gates + n, *forget = gates + 2 * n, *candidate = gates + 3 * n;
    if (peepholes) {
      for (int64_t i = 0; i < n; ++i) input[i] += peepholes[i] * cell[i];
      for (int64_t i = 0; i < n; ++i) forget[i] += peepholes[2 * n + i] * cell[i];
    }
    activate(f, input, n);
    activate(f, forget, n);
    activate(g, candidate, n);
    if (input_forget) {
      for (int64_t i = 0; i < n; ++i) forget[i] = 1 - input[i];
    }
    for (int64_t i = 0; i < n; ++i) cell[i] = forget[i] * cell[i] + input[i] * candidate[i];
    if (peepholes) {
      for (int64_t i = 0; i < n; ++i) output[i] += peepholes[n + i] * cell[i];
    }
    activate(f, output, n);
    std::copy(cell, cell + n, state);
    activate(h, state, n);
    for (int64_t i = 0; i < n; ++i) state[i] *= output[i];
  }

  void activate(const GateFunction<C>& function, C* x, int64_t n) const {
    bound(x, n, limit);
    function(x, n);
  }
};

/// The common part of LSTM and its variants with other weights.
class LstmOp : public RecurrentOp {
 public:
  explicit LstmOp(const NodeSpec& node)
      : RecurrentOp(node, 4, 2, {"Sigmoid", "Tanh", "Tanh"}), input_forget_(node.attr_or("input_forget", false)) {}

 protected:
  template <class T, class Weights = RecurrentWeights<T>>
  KernelPtr make(const CompileInput& in, const RecurrentSizes& s) const {
    const UnaryKernels& kernels = kernels_for<UnaryKernels>(in.isa());
    std::vector<LstmCell<T>> cells;
    std::vector<bool> reverse;
    for (int64_t d = 0; d < s.directions; ++d) {
      const Activation* functions = activations().data() + d * 3;
      cells.push_back({make_gate_function(functions[0], kernels, T()), make_gate_function(functions[1], kernels, T()),
                       make_gate_function(functions[2], kernels, T()), T(clip()), input_forget_});
      reverse.push_back(is_reverse(d));
    }
    const RecurrentForm form{.parts = {4}, .has_cell_state = true};
    return std::make_unique<RecurrentKernel<T, LstmCell<T>, Weights>>(in, s, form, std::move(cells),
                                                                      std::move(reverse));
  }

 private:
  bool input_forget_;
};

}  // namespace linnet
