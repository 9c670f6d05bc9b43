#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "bench/profile.h"
#include "command/session.h"
#include "command/verbs.h"
#include "graph/graph.h"
#include "inspect/memory_picture.h"
#include "report/report.h"
#include "rewrites/matching/written_attention.h"
#include "run/model_graph.h"
#include "values/files.h"
#include "values/inputs.h"

namespace linnet::tool {
namespace {

struct Section {
  std::string text;
  Json json;
};

Section values_section(const char* title, const std::vector<ValueInfo>& infos) {
  Section section{"", Json::array()};
  for (const ValueInfo& info : infos) {
    section.text += str(title, info.name, "  ", info.fact, "\n");
    section.json.push_back(to_json(info));
  }
  return section;
}

void count_operators(const Graph& graph, std::map<std::string, int>& counts) {
  for (const NodeId id : graph.nodes()) {
    const NodeSpec& spec = graph.node(id).spec;
    ++counts[spec.domain.empty() ? spec.op_type : spec.domain + "::" + spec.op_type];
    for (const auto& [name, attribute] : spec.attributes) {
      if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute)) count_operators(**body, counts);
    }
  }
}

Section operators_section(const Graph& graph) {
  std::map<std::string, int> counts;
  count_operators(graph, counts);
  std::vector<std::pair<std::string, int>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(), [](auto& a, auto& b) { return a.second > b.second; });
  int total = 0;
  for (const auto& [name, count] : order) total += count;
  Section section{format("operators  %zu nodes, %d with those of bodies\n", graph.nodes().size(), total),
                  Json::object()};
  for (const auto& [name, count] : order) {
    section.text += format("%9d  %s\n", count, name.c_str());
    section.json[name] = count;
  }
  return section;
}

Section weights_section(const Graph& graph) {
  Section section{"", Json::array()};
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const Value& value = graph.value(id);
    if (!value.fact.constant || graph.consumers(id).empty()) continue;
    section.text += "weight     " + value.name + "  " + linnet::describe(value.fact.constant) + "  " +
                    human_bytes(int64_t(value.fact.constant.bytes())) + "\n";
    section.json.push_back(
        {{"name", value.name},
         {"dtype", dtype_name(value.fact.dtype)},
         {"shape", std::vector<int64_t>(value.fact.constant.shape().begin(), value.fact.constant.shape().end())},
         {"bytes", value.fact.constant.bytes()}});
  }
  return section;
}

Json dims_json(const Dims& dims) {
  Json json = Json::array();
  for (const Dim& dim : dims) json.push_back(to_json(dim));
  return json;
}

std::string elements_text(const Dims& elements) {
  std::string text;
  for (const Dim& element : elements) text += str(text.empty() ? "" : ",", element);
  return "  = {" + text + "}";
}

/// Adds what is known before a run about values that nodes compute. Values of bodies are prefixed with the name of
/// their node.
void add_values(const Graph& graph, const std::string& prefix, Section& section) {
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    for (const ValueId output : node.outputs) {
      if (output == kNoValue) continue;
      const Value& value = graph.value(output);
      const std::string name = prefix + value.name;
      Json json = to_json(ValueInfo{name, value.fact});
      const auto elements = elements_of(value.fact);
      if (elements) json["elements"] = dims_json(*elements);
      section.text += str("value      ", name, "  ", value.fact, elements ? elements_text(*elements) : "", "\n");
      section.json.push_back(std::move(json));
    }
    for (const auto& [name, attribute] : node.spec.attributes) {
      const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
      if (body) add_values(**body, prefix + node.spec.name + "/", section);
    }
  }
}

Section computed_values_section(const Model& model) {
  Section section{"", Json::array()};
  add_values(declared_graph(model), "", section);
  return section;
}

Json plan_json(const Profiler& profiler) {
  Json json = Json::array();
  for (const Profiler::Event& event : profiler.events()) {
    json.push_back({{"op", event.op_type}, {"name", event.name}, {"outputs", event.outputs}, {"kernel", event.kernel}});
  }
  return json;
}

/// What a plan contains, which is known after a run with inputs of a concrete shape.
struct Planned {
  MemoryReport memory;
  std::shared_ptr<Profiler> profiler = std::make_shared<Profiler>();
  std::string error;  ///< why planning failed
};

void save_memory_plan(const Model& model, const Planned& planned, const Options& options) {
  if (options.save_memory_plan.empty()) return;
  const std::string name = std::filesystem::path(options.model.path).filename().string();
  write_text(options.save_memory_plan, memory_picture(name, map_memory(latest_plans(model)), planned.memory));
}

/// Describes nodes that an attention kernel could compute together if the model were written differently.
Section written_out_section(const Model& model) {
  Section section{"", Json::array()};
  for (const auto& plan : latest_plans(model)) {
    for (const PlannedNode& planned : plan->nodes) {
      const std::string why = planned.node ? attention_obstacle(plan->graph, *planned.node) : "";
      if (why.empty()) continue;
      section.text += "  not fused into Attention: '" + planned.node->spec.name + "': " + why + "\n";
      section.json.push_back({{"node", planned.node->spec.name}, {"reason", why}});
    }
  }
  return section;
}

/// Plans for generated inputs. They may not suit the model, which is a failure only if a plan was requested.
Planned plan(const Model& model, const Options& options) {
  Planned planned;
  Context context(model, context_options(options.model, planned.profiler));
  planned.profiler->begin_run();
  try {
    context.run(make_inputs(model, options.input));
    planned.memory = context.memory();
  } catch (const Error& error) {
    if (!options.show.empty() || !options.save_memory_plan.empty()) throw;
    planned.error = error.message();
  }
  return planned;
}

Section memory_section(const Planned& planned) {
  if (!planned.error.empty()) return {"memory     not planned: " + planned.error + "\n", Json()};
  return {"memory     " + describe(planned.memory) + "\n", to_json(planned.memory)};
}

}  // namespace

ExitCode inspect_verb(const Options& options) {
  const Model model = load_model(options.model);
  save_optimized(model, options);
  std::set<std::string> show(options.show.begin(), options.show.end());
  if (show.empty()) show = {"io", "ops", "memory"};
  std::string text = format("model      %s  opset %lld\n", options.model.path.c_str(),
                            static_cast<long long>(model.load_report().opset));
  Json json{{"model", options.model.path}, {"opset", model.load_report().opset}};
  const auto add = [&](const char* key, const Section& section) {
    text += section.text;
    json[key] = section.json;
  };
  if (show.contains("io")) {
    add("inputs", values_section("input      ", model.inputs()));
    add("outputs", values_section("output     ", model.outputs()));
  }
  if (show.contains("ops")) add("operators", operators_section(model_graph(model)));
  if (show.contains("values")) add("values", computed_values_section(model));
  if (show.contains("weights")) add("weights", weights_section(model_graph(model)));
  if (show.contains("memory") || show.contains("plan") || !options.save_memory_plan.empty()) {
    const Planned planned = plan(model, options);
    save_memory_plan(model, planned, options);
    if (show.contains("memory")) add("memory", memory_section(planned));
    if (show.contains("plan")) {
      add("plan", {"plan\n" + planned.profiler->plan(), plan_json(*planned.profiler)});
      add("not_fused", written_out_section(model));
    }
  }
  report(text, json, options.json);
  return ExitCode::kOk;
}

}  // namespace linnet::tool
