#include "registration.h"
#include "rnn/recurrent_kernel.h"

namespace linnet {
namespace {

template <class C>
struct RnnCell {
  GateFunction<C> f;
  C limit;

  template <class Product>
  void step(const Track<C>& track, const RecurrentSizes& s, const StepTimes& times, const Product& product) const {
    product(0, track.h, track.gates);
    const int64_t n = s.hidden;
    for (int64_t b = 0; b < s.batch; ++b) {
      const int64_t time = times(b);
      if (time < 0) continue;
      C* gate = track.gates + b * n;
      add_to(gate, track.x_gates + s.x_row(time, b) * n, n);
      bound(gate, n, limit);
      f(gate, n);
      std::copy(gate, gate + n, track.h + b * n);
    }
  }
};

/// RNN: one layer of simple recurrent units, h = f(x W^T + h R^T + biases). See RecurrentOp for inputs, outputs and
/// layouts.
/// activations: one for each direction; Tanh by default.
/// clip: bounds the inputs of the activations.
/// Source: https://onnx.ai/onnx/operators/onnx__RNN.html
class Rnn final : public RecurrentOp {
 public:
  explicit Rnn(const NodeSpec& node) : RecurrentOp(node, 1, 1, {"Tanh"}) {}

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_float(in.dtype(kX), [&]<class T>() { return make<T>(in); });
  }

 private:
  template <class T>
  KernelPtr make(const CompileInput& in) const {
    const RecurrentSizes s = sizes(in);
    std::vector<RnnCell<T>> cells;
    std::vector<bool> reverse;
    for (int64_t d = 0; d < s.directions; ++d) {
      cells.push_back(
          {make_gate_function(activations()[size_t(d)], kernels_for<UnaryKernels>(in.isa()), T()), T(clip())});
      reverse.push_back(is_reverse(d));
    }
    return std::make_unique<RecurrentKernel<T, RnnCell<T>>>(in, s, RecurrentForm{.parts = {1}}, std::move(cells),
                                                            std::move(reverse));
  }
};

}  // namespace

LINNET_REGISTER(rnn)(Registry& registry) { registry.add<Rnn>("RNN"); }

}  // namespace linnet
