#include "compare/per_node.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "command/session.h"
#include "graph/graph.h"
#include "report/progress.h"
#include "report/terminal.h"
#include "rewrites/matching/layout.h"
#include "run/model_graph.h"

namespace linnet::tool {
namespace {

/// A value to compare. One that rewrites made channels-last is transposed back.
struct Target {
  ValueId value;
  bool channels_last = false;
};

ValueId channels_first(Graph& graph, ValueId value) {
  std::vector<int64_t> perm(size_t(graph.fact(value).rank()), 0);
  perm[1] = int64_t(perm.size()) - 1;
  std::iota(perm.begin() + 2, perm.end(), 1);
  NodeSpec spec;
  spec.op_type = "Transpose";
  spec.name = graph.value(value).name;
  spec.attributes["perm"] = std::move(perm);
  return graph.node(graph.add_node(spec, {value}, {spec.name + ":channels_first"})).outputs[0];
}

/// Draws the progress of two models with about as many nodes each.
class RunProgress final : public Observer {
 public:
  explicit RunProgress(size_t nodes) : nodes_(double(nodes)) {}
  void on_node(const NodeEvent&) override { progress_.update(++ran_ / nodes_); }

 private:
  Progress progress_{"compare"};
  double nodes_, ran_ = 0;
};

/// A model whose inner values are also outputs. It runs once.
class Watched {
 public:
  Watched(const ModelRun& run, const std::vector<Target>& values, const ModelFlags& flags,
          const std::shared_ptr<Observer>& observer)
      : context_(with_outputs(run.model, values), context_options(flags, observer)) {
    const auto& [model, inputs] = run;
    const std::span<const Tensor> outputs = context_.run(inputs).subspan(model.outputs().size());
    for (size_t i = 0; i < values.size(); ++i) known_[values[i].value] = outputs[i];
    for (size_t i = 0; i < inputs.size(); ++i) known_[model_graph(model).inputs()[i]] = inputs[i];
  }

  const Tensor& value(ValueId id) const { return known_.at(id); }
  /// "float32[1,3,8,8]"; for a value that was not watched, its fact.
  std::string describe(const Graph& graph, ValueId id) const {
    const auto known = known_.find(id);
    return id == kNoValue ? "none" : known == known_.end() ? str(graph.fact(id)) : linnet::describe(known->second);
  }

 private:
  static Model with_outputs(const Model& model, const std::vector<Target>& targets) {
    Graph graph = model_graph(model);
    for (const Target& target : targets) {
      graph.add_output(graph.value(target.value).name,
                       target.channels_last ? channels_first(graph, target.value) : target.value);
    }
    return make_model(std::move(graph), model.options());
  }

  Context context_;
  std::map<ValueId, Tensor> known_;
};

/// The values of a graph by name; kNoValue for a name that is not unique.
std::map<std::string, ValueId> values_by_name(const Graph& graph) {
  std::map<std::string, ValueId> values;
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const Value& value = graph.value(id);
    const bool read = !graph.consumers(id).empty() || graph.is_output(id);
    const bool computed = value.producer != kNoValue && graph.alive(value.producer);
    if (!computed && !(read && value.fact.constant)) continue;
    const auto [known, added] = values.emplace(value.name, id);
    if (!added) known->second = kNoValue;
  }
  for (const Graph::Output& output : graph.outputs()) values[output.name] = output.value;
  return values;
}

/// The value of that name, unchanged or channels-last, whose fact does not contradict; kNoValue if it does not exist.
Target find_counterpart(const std::map<std::string, ValueId>& values, const Graph& graph, const Value& expected) {
  const auto same = values.find(expected.name);
  if (same != values.end() && same->second != kNoValue && compatible(expected.fact, graph.fact(same->second))) {
    return {same->second};
  }
  const auto last = values.find(expected.name + kChannelsLastSuffix);
  if (last == values.end() || last->second == kNoValue || !graph.fact(last->second).has_rank()) return {kNoValue};
  return {last->second, true};
}

/// A value of the reference, the node that computes it, and its counterpart.
struct Pair {
  NodeId node;
  ValueId expected, got;
};

struct Pairs {
  std::vector<Pair> pairs;
  std::vector<Target> all, counterparts;  ///< values of the reference's nodes; values of the model
  int skipped() const { return int(all.size() - pairs.size()); }
};

Pairs match_values(const Graph& reference, const Graph& graph) {
  const std::map<std::string, ValueId> values = values_by_name(graph);
  Pairs result;
  for (const NodeId id : reference.nodes()) {
    for (const ValueId expected : reference.node(id).outputs) {
      if (expected == kNoValue) continue;
      result.all.push_back({expected});
      const Target got = find_counterpart(values, graph, reference.value(expected));
      if (got.value == kNoValue) continue;
      result.pairs.push_back({id, expected, got.value});
      result.counterparts.push_back(got);
    }
  }
  return result;
}

std::string operator_name(const NodeSpec& spec) {
  return (spec.domain.empty() ? "" : spec.domain + "::") + spec.op_type;
}

/// "float32[1,3,8,8], float32[4,3,3,3]": the inputs of a node of the reference.
std::string describe_inputs(const Graph& graph, const Node& node, const Watched& watched) {
  std::string text;
  for (const ValueId input : node.inputs) text += (text.empty() ? "" : ", ") + watched.describe(graph, input);
  return text;
}

void add_row(NodeComparison& result, const Graph& graph, const Pair& pair, const Difference& difference) {
  const NodeSpec& spec = graph.node(pair.node).spec;
  const std::string& name = graph.value(pair.expected).name;
  result.text += format("%-12.3g%6s  ", difference.max_difference, decibels(difference.snr_db()).c_str()) +
                 (difference.agree() ? "agrees   " : failed("differs") + "  ") + operator_name(spec) + " '" +
                 spec.name + "'  " + name + "\n";
  result.json["nodes"].push_back({{"value", name},
                                  {"node", spec.name},
                                  {"op", operator_name(spec)},
                                  {"max_difference", difference.max_difference},
                                  {"snr_db", ratio_json(difference.snr_db())},
                                  {"agrees", difference.agree()}});
}

void add_first_difference(NodeComparison& result, const Graph& graph, const Pair& pair, const Difference& difference,
                          const std::string& inputs) {
  const Node& node = graph.node(pair.node);
  result.text += "first difference: value '" + graph.value(pair.expected).name + "' of " + node.spec.describe() +
                 ", inputs " + inputs + ": " + difference.reason + "\n";
  result.json["first_difference"] = {{"value", graph.value(pair.expected).name},
                                     {"node", node.spec.name},
                                     {"op", operator_name(node.spec)},
                                     {"inputs", inputs},
                                     {"reason", difference.reason}};
}

}  // namespace

NodeComparison compare_nodes(const ModelRun& run, const ModelRun& reference, const Options& options, bool stop) {
  const Graph& graph = model_graph(reference.model);
  const Pairs matched = match_values(graph, model_graph(run.model));
  const auto progress = std::make_shared<RunProgress>(graph.nodes().size() + model_graph(run.model).nodes().size());
  const Watched expected(reference, matched.all, options.model, progress);
  const Watched got(run, matched.counterparts, options.model, progress);
  NodeComparison result{"", {{"nodes", Json::array()}, {"first_difference", nullptr}}};
  if (!stop) result.text = "max |diff|  SNR dB  result   node and value, in the order of the reference\n";
  int compared = 0;
  for (const Pair& pair : matched.pairs) {
    if (stop && result.differing > 0) break;
    const Tolerance tolerance = tolerance_for(graph.value(pair.expected).name, options.accuracy);
    const Difference difference = compare_tensors(got.value(pair.got), expected.value(pair.expected), tolerance);
    ++compared;
    if (!stop) add_row(result, graph, pair, difference);
    if (!difference.agree() && result.differing++ == 0) {
      add_first_difference(result, graph, pair, difference, describe_inputs(graph, graph.node(pair.node), expected));
    }
  }
  result.json["compared"] = compared;
  result.json["skipped"] = matched.skipped();
  result.text +=
      format("%d values compared, %d differ; %d have no counterpart\n", compared, result.differing, matched.skipped());
  return result;
}

}  // namespace linnet::tool
