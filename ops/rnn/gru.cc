#include "registration.h"
#include "rnn/recurrent_kernel.h"

namespace linnet {
namespace {

template <class C>
struct GruCell {
  GateFunction<C> f, g;
  C limit;
  bool linear_before_reset;

  template <class Product>
  void step(const Track<C>& track, const RecurrentSizes& s, const StepTimes& times, const Product& product) const {
    const int64_t n = s.hidden;
    product(0, track.h, track.gates);
    for_each(track, s, times, [&](int64_t b, C* gates, const C* x) {
      add_to(gates, x, 2 * n);
      bound(gates, 2 * n, limit);
      f(gates, 2 * n);
      const C* reset = gates + n;
      for (int64_t i = 0; i < n; ++i) track.extra[b * n + i] = reset[i] * track.h[b * n + i];
    });
    if (!linear_before_reset) product(1, track.extra, track.gates + 2 * n);
    for_each(track, s, times, [&](int64_t b, C* gates, const C* x) {
      if (linear_before_reset) reset_candidate(gates, track.last_bias, n);
      update(gates, x + 2 * n, track.h + b * n, n);
    });
  }

  /// Calls f(b, gates, gates of x) for every sequence that has not ended.
  template <class F>
  void for_each(const Track<C>& track, const RecurrentSizes& s, const StepTimes& times, F f_row) const {
    for (int64_t b = 0; b < s.batch; ++b) {
      const int64_t time = times(b);
      if (time >= 0) f_row(b, track.gates + b * 3 * s.hidden, track.x_gates + s.x_row(time, b) * 3 * s.hidden);
    }
  }

  /// Replaces the candidate by r * (candidate + bias). gates: z, r and the candidate's product.
  void reset_candidate(C* gates, const C* bias, int64_t n) const {
    const C* reset = gates + n;
    C* candidate = gates + 2 * n;
    for (int64_t i = 0; i < n; ++i) candidate[i] = reset[i] * (candidate[i] + bias[i]);
  }

  void update(C* gates, const C* x_candidate, C* state, int64_t n) const {
    const C* update = gates;
    C* candidate = gates + 2 * n;
    add_to(candidate, x_candidate, n);
    bound(candidate, n, limit);
    g(candidate, n);
    for (int64_t i = 0; i < n; ++i) state[i] = (1 - update[i]) * candidate[i] + update[i] * state[i];
  }
};

/// GRU: one layer of gated recurrent units. See RecurrentOp for inputs, outputs and layouts.
/// activations: two for each direction; Sigmoid, Tanh by default.
/// clip: bounds the inputs of the activations.
/// linear_before_reset: applies the reset gate to the product with R and its bias instead of to the hidden state.
/// Source: https://onnx.ai/onnx/operators/onnx__GRU.html
class Gru final : public RecurrentOp {
 public:
  explicit Gru(const NodeSpec& node)
      : RecurrentOp(node, 3, 1, {"Sigmoid", "Tanh"}),
        linear_before_reset_(node.attr_or("linear_before_reset", false)) {}

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_float(in.dtype(kX), [&]<class T>() { return make<T>(in); });
  }

 private:
  template <class T>
  KernelPtr make(const CompileInput& in) const {
    const RecurrentSizes s = sizes(in);
    const UnaryKernels& kernels = kernels_for<UnaryKernels>(in.isa());
    std::vector<GruCell<T>> cells;
    std::vector<bool> reverse;
    for (int64_t d = 0; d < s.directions; ++d) {
      const Activation* functions = activations().data() + d * 2;
      cells.push_back({make_gate_function(functions[0], kernels, T()), make_gate_function(functions[1], kernels, T()),
                       T(clip()), linear_before_reset_});
      reverse.push_back(is_reverse(d));
    }
    RecurrentForm form{.parts = {2, 1}};
    if (linear_before_reset_) form = {.parts = {3}, .separate_last_bias = true};
    return std::make_unique<RecurrentKernel<T, GruCell<T>>>(in, s, form, std::move(cells), std::move(reverse));
  }

  bool linear_before_reset_;
};

}  // namespace

LINNET_REGISTER(gru)(Registry& registry) { registry.add<Gru>("GRU"); }

}  // namespace linnet
