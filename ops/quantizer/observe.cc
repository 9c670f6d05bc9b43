#include "quantizer/observe.h"

#include "run/model_graph.h"

namespace linnet {

Model rewritten(Graph graph, ModelOptions options) {
  options.optimization = 2;
  return make_model(std::move(graph), options);
}

void observe(Graph graph, const ModelOptions& options, const std::vector<ValueId>& values, Samples samples,
             const std::function<void(std::span<const Tensor>)>& see) {
  const size_t own = graph.outputs().size();
  for (const ValueId value : values) graph.add_output(graph.value(value).name, value);
  Context context(rewritten(std::move(graph), options), {.limits = options.limits});
  for (const std::vector<Tensor>& sample : samples) see(context.run(sample).subspan(own));
}

}  // namespace linnet
