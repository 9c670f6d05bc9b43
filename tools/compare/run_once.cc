#include "compare/run_once.h"

#include "command/session.h"

namespace linnet::tool {

std::vector<Tensor> run_once(const Model& model, const ModelFlags& flags, const std::vector<Tensor>& inputs) {
  Context context(model, context_options(flags));
  std::vector<Tensor> outputs;
  for (const Tensor& output : context.run(inputs)) outputs.push_back(output.clone());
  return outputs;
}

}  // namespace linnet::tool
