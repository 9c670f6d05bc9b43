#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

#include "graph/equal_specs.h"
#include "passes/passes.h"
#include "run/spike.h"

namespace linnet {
namespace {

std::map<std::string, int64_t> numbers() {
  std::map<std::string, int64_t> result;
  std::istringstream text(getenv("LINNET_SPIKE"));
  for (std::string part; std::getline(text, part, ',');) {
    const size_t at = part.find('=');
    if (at != std::string::npos) result[part.substr(0, at)] = atoll(part.c_str() + at + 1);
  }
  return result;
}

void count(const Graph& graph, std::map<std::string, int>& counts, int sign, const std::string& prefix = "") {
  for (const NodeId id : graph.nodes()) {
    const NodeSpec& spec = graph.node(id).spec;
    counts[prefix + (spec.domain.empty() ? "" : spec.domain + ".") + spec.op_type] += sign;
    for (const auto& [name, attribute] : spec.attributes) {
      if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute)) count(**body, counts, sign, prefix + spec.op_type + "/");
    }
  }
}

size_t hash_of(const Graph& graph) {
  std::hash<std::string> h;
  std::vector<size_t> hashes(size_t(graph.value_count()));
  for (ValueId v = 0; v < graph.value_count(); ++v) {
    const Fact& fact = graph.fact(v);
    if (fact.constant) {
      std::string text = str(fact);
      if (fact.constant.bytes() <= 4096 && fact.dtype != DType::kString) text += std::string(static_cast<const char*>(fact.constant.raw()), fact.constant.bytes());
      hashes[size_t(v)] = h(text);
    } else if (graph.is_input(v)) hashes[size_t(v)] = h(graph.value(v).name);
  }
  size_t all = 0;
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    std::string text = node.spec.domain + "." + node.spec.op_type;
    for (const ValueId v : node.inputs) text += str(" ", v == kNoValue ? 0 : hashes[size_t(v)]);
    for (const auto& [name, attribute] : node.spec.attributes) {
      text += " " + name + "=";
      std::visit([&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) text += str(value);
        else if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<float>>) for (auto e : value) text += str(e, ",");
      }, attribute);
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) if (node.outputs[i] != kNoValue) hashes[size_t(node.outputs[i])] = h(text + str("#", i));
  }
  for (const auto& output : graph.outputs()) all = all * 31 + hashes[size_t(output.value)];
  return all;
}

void list_nodes(const Graph& graph, const char* what) {
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    std::cerr << what << " " << node.spec.op_type << " " << node.spec.name << "(";
    for (const ValueId v : node.inputs) { if (v == kNoValue) std::cerr << "-, "; else { std::cerr << (graph.fact(v).constant ? "const " : graph.value(v).name + " ") << graph.fact(v); if (graph.fact(v).contents) { std::cerr << "{"; for (auto& d : *graph.fact(v).contents) std::cerr << d << ","; std::cerr << "}"; } std::cerr << ", "; } }
    std::cerr << ") ->";
    for (const ValueId v : node.outputs) if (v != kNoValue) std::cerr << " " << graph.value(v).name << " " << graph.fact(v);
    std::cerr << "\n";
  }
}

}  // namespace

void spike_compare(Graph raw, const Graph& optimized, const ModelResources& resources) {
  const auto given = numbers();
  int64_t next = 3;
  std::map<std::string, int64_t> bound;
  const auto number_of = [&](const Dim& dim) {
    std::string name = str(dim);
    if (const auto cut = name.find(" of input"); cut != std::string::npos) name = name.substr(0, cut);
    if (const auto found = given.find(name); found != given.end()) return found->second;
    const auto [it, is_new] = bound.emplace(name, next);
    if (is_new) next += 4;
    return it->second;
  };
  Graph open = optimized;
  for (size_t i = 0; i < raw.inputs().size(); ++i) {
    Fact fact = raw.fact(raw.inputs()[i]);
    if (!fact.dims || fact.element) continue;
    for (Dim& dim : *fact.dims) if (!dim.known()) dim = number_of(dim);
    raw.set_fact(raw.inputs()[i], fact);
    open.set_fact(open.inputs()[i], fact);
  }
  optimize(raw, resources);
  std::vector<bool> changed(size_t(open.value_count()), true);
  if (getenv("LINNET_SPIKE_OPEN")) list_nodes(open, "open");
  try {
    update_facts(open, changed, resources);
    fold_constants(open);
    merge_equal_nodes(open);
  } catch (const Error& error) { std::cerr << "BIND " << error.message() << "\n"; }
  if (getenv("LINNET_SPIKE_LIST")) { list_nodes(raw, "num"); list_nodes(open, "sym"); }
  std::map<std::string, int> counts;
  count(raw, counts, 1);
  count(open, counts, -1);
  const auto begin = std::chrono::steady_clock::now();
  Graph again = open.compacted();
  const size_t bound_nodes = again.nodes().size();
  optimize(again, resources);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  std::map<std::string, int> counts2;
  count(raw, counts2, 1);
  count(again, counts2, -1);
  std::cerr << "SPIKE2 " << bound_nodes << " -> " << again.nodes().size() << " in " << ms << " ms" << (hash_of(raw) == hash_of(again) ? " EQUAL" : " different") << ":";
  for (const auto& [op, n] : counts2) if (n) std::cerr << " " << op << (n > 0 ? "+" : "") << n;
  std::cerr << "\n";
  std::cerr << "SPIKE numbers " << raw.nodes().size() << " symbols " << optimized.nodes().size() << " bound " << open.nodes().size() << (hash_of(raw) == hash_of(open) ? " EQUAL" : " different") << ":";
  for (const auto& [op, n] : counts) if (n) std::cerr << " " << op << (n > 0 ? "+" : "") << n;
  std::cerr << "\n";
}

}  // namespace linnet
