// voice_activity MODEL SPEECH.wav: prints where speech begins and ends, by silero-vad (version 5) or a similar model.
// It takes 576 samples of 16 kHz (64 of them of the block before) and a state, and returns a probability and the next
// state.

#include <linnet/onnx.h>

#include <algorithm>
#include <iostream>

#include "wav.h"

namespace {

constexpr uint32_t kRate = 16000;

bool has_names(const std::vector<linnet::ValueInfo>& values, std::initializer_list<std::string_view> names) {
  return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
    return std::any_of(values.begin(), values.end(), [&](const linnet::ValueInfo& v) { return v.name == name; });
  });
}

/// Throws std::invalid_argument for another model than the program is for.
void check(const linnet::Model& model) {
  const bool fits = model.inputs().size() == 3 && has_names(model.inputs(), {"input", "state", "sr"}) &&
                    model.outputs()[0].name == "output" && has_names(model.outputs(), {"output", "stateN"});
  if (fits) return;
  std::string inputs;
  for (const linnet::ValueInfo& input : model.inputs()) inputs += (inputs.empty() ? "'" : ", '") + input.name + "'";
  throw std::invalid_argument("the model takes " + inputs +
                              "; expected silero-vad version 5: it takes 'input', 'state', 'sr' and returns 'output', "
                              "'stateN'");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::invalid_argument("usage: voice_activity MODEL SPEECH.wav");
  constexpr size_t kBlock = 512, kBefore = 64;
  const linnet::Model model = linnet::load_onnx(argv[1]);
  check(model);
  linnet::Context context(model);
  std::vector<float> samples = resampled(read_wav(argv[2]), kRate);
  samples.insert(samples.begin(), kBefore, 0.0f);
  const linnet::Tensor rate = linnet::Tensor::scalar(int64_t{kRate});
  linnet::Tensor state = linnet::Tensor::of({2, 1, 128}, std::vector<float>(256));
  bool speaking = false;
  for (size_t at = 0; at + kBefore + kBlock <= samples.size(); at += kBlock) {
    const linnet::Tensor x = linnet::Tensor::wrap(linnet::DType::kFloat32, {1, kBefore + kBlock}, samples.data() + at);
    const auto outputs = context.run({{"input", x}, {"state", state}, {"sr", rate}});
    state = outputs[1];  // outputs may be the next run's inputs
    const float probability = outputs[0].data<float>()[0];
    if (speaking ? probability < 0.35f : probability >= 0.5f) {
      speaking = !speaking;
      std::cout << double(at) / kRate << (speaking ? " s: speech begins\n" : " s: speech ends\n");
    }
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
