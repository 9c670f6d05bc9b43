#include "plan/extend_line.h"

#include <algorithm>
#include <limits>

#include "passes/passes.h"

namespace linnet {
namespace {

/// Calls f(input, axis) for each dim in which the two differ.
template <class F>
void for_open_dims(const std::vector<Fact>& low, const std::vector<Fact>& high, const F& f) {
  for (size_t i = 0; i < low.size(); ++i) {
    for (int d = 0; low[i].dims && d < low[i].rank(); ++d) {
      if (low[i].dim(d).value() != high[i].dim(d).value()) f(i, d);
    }
  }
}

/// Whether all dims that differ are larger by the same.
bool differ_equally(const std::vector<Fact>& low, const std::vector<Fact>& high) {
  int64_t distance = 0;
  bool same = true;
  for_open_dims(low, high, [&](size_t i, int d) {
    const int64_t more = high[i].dim(d).value() - low[i].dim(d).value();
    same &= more > 0 && (distance == 0 || more == distance);
    distance = more;
  });
  return same && distance > 0;
}

/// `low` with so much more in each dim in which `high` differs.
std::vector<Fact> moved(const std::vector<Fact>& low, const std::vector<Fact>& high, int64_t more) {
  std::vector<Fact> facts = low;
  for_open_dims(low, high, [&](size_t i, int d) { (*facts[i].dims)[size_t(d)] = low[i].dim(d).value() + more; });
  return facts;
}

int64_t least_open_dim(const std::vector<Fact>& low, const std::vector<Fact>& high) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for_open_dims(low, high, [&](size_t i, int d) { least = std::min(least, low[i].dim(d).value()); });
  return least;
}

}  // namespace

void extend_line(AssumedDims& assumed, const Graph& graph, const std::vector<Fact>& low, const std::vector<Fact>& high,
                 const ModelResources& resources) {
  if (!differ_equally(low, high)) return;
  for (const int64_t back : {least_open_dim(low, high) - kLeastOpenDim, int64_t{0}}) {
    try {
      const Graph first = propagated(graph, moved(low, high, -back), resources);
      if (assumed.set_line(first, propagated(graph, moved(low, high, 1 - back), resources))) return;
    } catch (const Error& error) {  // sizes that nobody asked for may not fit
      if (error.kind() == ErrorKind::kLimit || error.kind() == ErrorKind::kCancelled) throw;
    }
  }
}

Graph propagated(Graph graph, const std::vector<Fact>& inputs, const ModelResources& resources) {
  for (size_t i = 0; i < inputs.size(); ++i) graph.set_fact(graph.inputs()[i], inputs[i]);
  propagate_facts(graph, resources);
  return graph;
}

}  // namespace linnet
