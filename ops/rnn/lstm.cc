#include "rnn/lstm.h"

#include "registration.h"

namespace linnet {
namespace {

/// LSTM: one layer of long short-term memory. See RecurrentOp for inputs, outputs and layouts.
/// activations: three for each direction; Sigmoid, Tanh, Tanh by default.
/// clip: bounds the inputs of the activations.
/// input_forget: the forget gate is 1 - input gate.
/// P: peepholes of the gates i, o, f.
/// Source: https://onnx.ai/onnx/operators/onnx__LSTM.html
class Lstm final : public LstmOp {
 public:
  using LstmOp::LstmOp;

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_float(in.dtype(kX), [&]<class T>() { return make<T>(in, sizes(in)); });
  }
};

}  // namespace

LINNET_REGISTER(lstm)(Registry& registry) { registry.add<Lstm>("LSTM"); }

}  // namespace linnet
