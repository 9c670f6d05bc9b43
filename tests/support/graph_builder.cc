#include "support/graph_builder.h"

namespace linnet::testing {

std::vector<Tensor> run_model(const Model& model, const std::vector<Tensor>& inputs, int threads) {
  Context context(model, {.executor = make_openmp_executor(threads), .observer = nullptr, .limits = {}});
  std::vector<Tensor> outputs;
  for (const Tensor& output : context.run(inputs)) outputs.push_back(output.clone());
  return outputs;
}

}  // namespace linnet::testing
