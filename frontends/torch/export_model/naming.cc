#include "naming.h"

#include <algorithm>
#include <set>

#include "exporter/export_error.h"

namespace linnet::exporter {
namespace {

using NewNames = std::unordered_map<std::string, std::string>;

/// Whether an input is a state, which is an input with an initial value.
bool is_state(const OnnxGraph& graph, const std::string& input) {
  return std::ranges::any_of(graph.initializers, [&](const auto& entry) { return entry.first == input; });
}

void remove_states(OnnxGraph& graph) {
  std::set<std::string> next;
  for (const OnnxValue& input : graph.inputs) {
    if (is_state(graph, input.name)) next.insert(input.name + ".next");
  }
  std::erase_if(graph.outputs, [&](const OnnxValue& output) { return next.contains(output.name); });
  std::erase_if(graph.inputs, [&](const OnnxValue& input) { return next.contains(input.name + ".next"); });
  remove_unused(graph);
}

void collect_names(const OnnxGraph& graph, std::set<std::string>& names) {
  for (const OnnxValue& input : graph.inputs) names.insert(input.name);
  for (const auto& [name, weight] : graph.initializers) names.insert(name);
  for (const OnnxNode& node : graph.nodes) {
    names.insert(node.outputs.begin(), node.outputs.end());
    for (const auto& [key, attribute] : node.attributes) {
      const auto* body = std::get_if<std::shared_ptr<const OnnxGraph>>(&attribute);
      if (body != nullptr) collect_names(**body, names);
    }
  }
}

/// Renames the first values that are not states to the wanted names.
void add_new_names(const OnnxGraph& graph, const std::vector<OnnxValue>& values, const std::vector<std::string>& wanted,
                   const std::string& kind, NewNames& new_names) {
  if (wanted.empty()) return;
  std::set<std::string> state_values;
  for (const OnnxValue& input : graph.inputs) {
    if (is_state(graph, input.name)) state_values.insert({input.name, input.name + ".next"});
  }
  std::vector<std::string> old;
  for (const OnnxValue& value : values) {
    if (!state_values.contains(value.name)) old.push_back(value.name);
  }
  if (old.size() != wanted.size()) {
    throw Failure(ExitCode::kUsage, text_of("--", kind, "-names has ", wanted.size(), " names, the program ",
                                            old.size(), " ", kind, "s"));
  }
  for (size_t i = 0; i < old.size(); ++i) new_names[old[i]] = wanted[i];
}

/// Renames other values that already have a wanted name.
void make_room(const OnnxGraph& graph, NewNames& new_names) {
  std::set<std::string> used, wanted;
  collect_names(graph, used);
  for (const auto& [name, other] : new_names) wanted.insert(other);
  for (const std::string& name : wanted) {
    if (!used.contains(name) || new_names.contains(name)) continue;
    std::string free = name + "_";
    while (used.contains(free) || wanted.contains(free)) free += "_";
    used.insert(free);
    new_names[name] = free;
  }
}

void rename(OnnxGraph& graph, const NewNames& new_names) {
  const auto apply = [&](std::string& name) {
    const auto found = new_names.find(name);
    if (found != new_names.end()) name = found->second;
  };
  rename_values(graph, new_names);
  for (OnnxValue& input : graph.inputs) apply(input.name);
  for (OnnxValue& output : graph.outputs) apply(output.name);
  for (auto& [name, weight] : graph.initializers) apply(name);
}

/// Renames a symbol. The form of the flag is SYMBOL=NAME.
void name_dim(OnnxGraph& graph, const std::string& flag) {
  const size_t equals = flag.find('=');
  const std::string symbol = flag.substr(0, equals);
  bool found = false;
  for (std::vector<OnnxValue>* values : {&graph.inputs, &graph.outputs}) {
    for (OnnxValue& value : *values) {
      for (OnnxDim& dim : *value.dims) {
        if (dim.symbol != symbol) continue;
        found = true;
        if (equals != std::string::npos) dim.symbol = flag.substr(equals + 1);
      }
    }
  }
  if (!found || equals == std::string::npos) {
    throw Failure(ExitCode::kUsage, "--dim-name " + flag + ": it must be SYMBOL=NAME, with a symbol of the program");
  }
}

}  // namespace

void apply_naming(OnnxGraph& graph, const Options& options) {
  if (!options.states) remove_states(graph);
  NewNames new_names;
  add_new_names(graph, graph.inputs, options.input_names, "input", new_names);
  add_new_names(graph, graph.outputs, options.output_names, "output", new_names);
  make_room(graph, new_names);
  rename(graph, new_names);
  for (const std::string& flag : options.dim_names) name_dim(graph, flag);
}

}  // namespace linnet::exporter
