#include "topological_order.h"

#include <functional>
#include <queue>
#include <string_view>

#include "describe.h"
#include "environment/run_environment.h"
#include "linnet/error.h"
#include "tensor/seeded_hash.h"

namespace linnet {

namespace {

// The number of nodes shown at the beginning and at the end of a long cycle.
constexpr size_t kShownOfCycle = 4;

using Names = SeededSet<std::string_view>;  // in an order that nothing depends on

void add_names_read(const pb::NodeProto& node, Names& names);

// Adds the names that a body reads and does not define itself.
void add_names_captured(const pb::GraphProto& body, Names& names) {
  Names read;
  for (const pb::NodeProto& node : body.node()) {
    check_current();
    add_names_read(node, read);
  }
  for (const pb::ValueInfoProto& output : body.output()) read.insert(output.name());
  for (const pb::NodeProto& node : body.node()) {
    for (const std::string& output : node.output()) read.erase(output);
  }
  for (const pb::ValueInfoProto& input : body.input()) read.erase(input.name());
  for (const pb::TensorProto& constant : body.initializer()) read.erase(constant.name());
  for (const pb::SparseTensorProto& constant : body.sparse_initializer()) read.erase(constant.values().name());
  names.merge(read);
}

void add_names_read(const pb::NodeProto& node, Names& names) {
  names.insert(node.input().begin(), node.input().end());
  for (const pb::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) add_names_captured(attribute.g(), names);
    for (const pb::GraphProto& body : attribute.graphs()) add_names_captured(body, names);
  }
}

struct Edges {
  std::vector<std::vector<int>> readers;  // the nodes that read each node's outputs
  std::vector<int> waits;                 // the number of nodes that each node waits for
};

Edges find_edges(const NodeProtos& nodes) {
  SeededMap<std::string_view, int> producers;
  for (int i = 0; i < nodes.size(); ++i) {
    check_current();
    for (const std::string& output : nodes[i].output()) {
      if (!output.empty()) producers.emplace(output, i);
    }
  }
  Edges edges{std::vector<std::vector<int>>(size_t(nodes.size())), std::vector<int>(size_t(nodes.size()), 0)};
  for (int i = 0; i < nodes.size(); ++i) {
    check_current();
    Names read;
    add_names_read(nodes[i], read);
    for (const std::string_view name : read) {
      const auto producer = producers.find(name);
      if (producer == producers.end()) continue;
      edges.readers[size_t(producer->second)].push_back(i);
      ++edges.waits[size_t(i)];
    }
  }
  return edges;
}

// Every waiting node waits for another waiting node, so walking back from any of them must meet a cycle.
[[noreturn]] void throw_cycle(const NodeProtos& nodes, const Edges& edges) {
  std::vector<int> before(edges.waits.size(), -1);
  int at = 0;
  for (size_t i = 0; i < edges.waits.size(); ++i) {
    if (edges.waits[i] == 0) continue;
    for (const int reader : edges.readers[i]) before[size_t(reader)] = int(i);
    at = int(i);
  }
  std::vector<char> seen(edges.waits.size(), 0);
  while (!seen[size_t(at)]) {
    seen[size_t(at)] = 1;
    at = before[size_t(at)];
  }
  std::vector<int> cycle;  // in reverse
  for (int node = before[size_t(at)]; node != at; node = before[size_t(node)]) cycle.push_back(node);
  std::string path = describe(nodes[at]);
  for (size_t i = 0; i < cycle.size(); ++i) {
    const bool shown = i < kShownOfCycle || cycle.size() - i <= kShownOfCycle;
    if (i == kShownOfCycle && !shown) path += str(" -> ", cycle.size() - 2 * kShownOfCycle, " more");
    if (shown) path += " -> " + describe(nodes[cycle[cycle.size() - 1 - i]]);
  }
  throw Error(ErrorKind::kModel, str("nodes form a cycle: ", path, " -> ", describe(nodes[at])));
}

}  // namespace

std::vector<int> topological_order(const NodeProtos& nodes) {
  Edges edges = find_edges(nodes);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i) {
    if (edges.waits[size_t(i)] == 0) ready.push(i);
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const int reader : edges.readers[size_t(node)]) {
      if (--edges.waits[size_t(reader)] == 0) ready.push(reader);
    }
  }
  if (int(order.size()) < nodes.size()) throw_cycle(nodes, edges);
  return order;
}

}  // namespace linnet
