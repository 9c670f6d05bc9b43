#include "decoding/language_model.h"

namespace linnet {

void DecoderSteps::begin(std::span<const Tensor> selves, std::span<const int64_t> rows, int64_t known) {
  const Graph& decoder = *bodies_.decoder;
  ContextStates& states = runners_.steps.states();
  for (size_t i = 0; i < bodies_.selves; ++i) {
    const Tensor self =
        gather_rows(selves[i], sample_axis_, rows, known, str("the keys or values ", i, " of the decoder"));
    const std::string& input = decoder.value(decoder.inputs()[first_self_ + i]).name;
    if (states.has(first_self_ + i)) {
      states.set_value(input, self);
    } else {
      runners_.steps.bind(decoder.outputs()[1 + i].name, input, self);
    }
  }
}

void DecoderSteps::reorder(std::span<const int64_t> rows, RunEnvironment& environment) {
  runners_.steps.states().take_samples(sample_axis_, rows, environment);
}

const Tensor& DecoderSteps::run(std::vector<Tensor>& inputs, RunEnvironment& environment) {
  for (size_t i = 0; i < bodies_.selves; ++i) inputs[first_self_ + i] = Tensor();
  return runners_.steps.run(inputs, environment, {}, [&] { return runners_.decoder.run(inputs, environment); })[0];
}

}  // namespace linnet
