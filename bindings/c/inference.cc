#include "inference.h"

using namespace linnet;
using namespace linnet::c_api;

linnet_inference::linnet_inference(std::span<const Fact> in, size_t max_inputs, size_t output_count)
    : outputs(output_count) {
  const Fact absent;
  for (size_t i = 0; i < max_inputs; ++i) inputs.emplace_back("", i < in.size() ? in[i] : absent);
}

std::vector<Fact> linnet_inference::take_outputs() {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].present()) throw Error(ErrorKind::kInternal, str("the operator's infer() did not set output ", i));
  }
  return std::move(outputs);
}

linnet_status linnet_inference_input(const linnet_inference* inference, size_t index, linnet_value_info* info) {
  return guarded([&] {
    const auto& inputs = valid(inference, "inference").inputs;
    if (index >= inputs.size()) throw ArgumentError(str("there is no input ", index, " of ", inputs.size()));
    result(info, "info") = inputs[index].info();
  });
}

linnet_status linnet_inference_set_output(linnet_inference* inference, size_t index, const linnet_value_info* info) {
  return guarded([&] {
    auto& outputs = valid(inference, "inference").outputs;
    if (index >= outputs.size()) throw ArgumentError(str("there is no output ", index, " of ", outputs.size()));
    outputs[index] = fact_of(result(info, "info"));
  });
}
