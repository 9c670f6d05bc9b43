#include "inspect/needed.h"

#include <map>
#include <set>

#include "bench/bench_states.h"
#include "command/session.h"
#include "graph/graph.h"
#include "graph/registry_uses.h"
#include "kernels/kernels_for.h"
#include "report/report.h"
#include "run/model_graph.h"
#include "values/inputs.h"

namespace linnet::tool {
namespace {

using DTypes = std::map<std::pair<std::string, std::string>, std::set<std::string>>;  // by domain and operator

void note_dtypes(const Graph& graph, DTypes& dtypes) {
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    auto& of_node = dtypes[{node.spec.domain, node.spec.op_type}];
    for (const auto* values : {&node.inputs, &node.outputs}) {
      for (const ValueId value : *values) {
        if (value != kNoValue) of_node.insert(std::string(dtype_name(graph.fact(value).dtype)));
      }
    }
    for (const auto& [name, attribute] : node.spec.attributes) {
      const auto* const body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
      if (body && *body) note_dtypes(**body, dtypes);
    }
  }
}

/// Collects the dtypes of the model as it is written, as it is optimised, and as it runs.
void note_model(const Options& options, const Registry& registry, DTypes& dtypes) {
  ModelOptions model_options = tool::model_options(options.model, registry);
  model_options.cache_dir.clear();  // a cached model does not show what preparing it takes
  model_options.optimization = 0;
  note_dtypes(model_graph(load_model(options.model, model_options, registry)), dtypes);
  model_options.optimization = options.model.optimization;
  const Model model = load_model(options.model, model_options, registry);
  note_dtypes(model_graph(model), dtypes);
  const std::vector<Tensor> inputs = make_inputs(model, options.input);
  const BenchStates states(model, inputs, options);
  Context context(model, context_options(options.model));
  states.bind(context);
  const int64_t runs = states ? states.steps() : 1;
  for (int64_t step = 0; step < runs; ++step) context.run(states ? states.inputs(step) : inputs);
  for (const auto& plan : latest_plans(model)) note_dtypes(plan->graph, dtypes);
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

}  // namespace

std::string needed_lines(const Options& options) {
  Registry registry = make_registry(options.model);
  const auto uses = Registry::Uses::watch(registry);
  DTypes dtypes;
  std::string text = "# By run_model ops --needed, for the CMake option LINNET_OPERATORS. Models:";
  for (const std::string& path : options.needed) {
    Options of_model = options;
    of_model.model.path = path;
    note_model(of_model, registry, dtypes);
    text += " " + path;
  }
  text += "\n# operator: unit, domain, name, version, dtypes of inputs and outputs\n";
  for (const auto& [unit, domain, op_type, since] : uses->operators()) {
    if (unit.empty()) continue;  // from a library of the caller
    text += str("operator ", unit, " ", domain.empty() ? "ai.onnx" : domain, " ", op_type, " ", since, " ",
                joined(dtypes[{domain, op_type}]), "\n");
  }
  if (options.model.precision == "bf16") text += "dtype bfloat16\n";  // for float32 products
  for (const std::string_view family : used_kernels()) text += str("kernels ", family, "\n");
  for (const std::string& name : uses->rewrites()) text += "rewrite " + name + "\n";
  return text;
}

}  // namespace linnet::tool
