#include "plan/size_elements.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "graph/patch.h"
#include "passes/contents.h"
#include "tensor/polynomial.h"

namespace linnet {
namespace {

constexpr int64_t kSample = 7;  // a size that an expression with a number for every size has a number for, too

struct Less {
  bool operator()(const Dim& a, const Dim& b) const { return compare(a, b) < 0; }
};

}  // namespace

SizeElements::SizeElements(Graph& graph, const OpenDims& open) {
  const DimSubstitution sample = open.numbers(std::vector<int64_t>(open.count(), kSample));
  std::map<Dim, size_t, Less> indices;
  std::map<std::tuple<DType, std::vector<int64_t>, std::vector<size_t>>, ValueId> known;
  std::map<const void*, Value> cut;  // by the address of its constant
  Patch patch(graph);
  for (const NodeId id : graph.nodes()) {
    for (const ValueId v : graph.node(id).outputs) {
      if (v == kNoValue) continue;
      const Fact& fact = graph.fact(v);
      const auto has_number = [&](const Dim& element) { return element.determined() && sample(element).known(); };
      if (fact.constant || !fact.contents || !fact.concrete() || fact.contents->empty()) continue;
      if (!std::ranges::all_of(*fact.contents, has_number)) continue;
      std::vector<size_t> elements;
      for (const Dim& element : *fact.contents) {
        const auto [known_index, added] = indices.try_emplace(element, expressions_.size());
        if (added) expressions_.push_back(element);
        elements.push_back(known_index->second);
      }
      const auto dims = fact.shape().dims();
      const auto [same, added] = known.try_emplace({fact.dtype, {dims.begin(), dims.end()}, elements}, kNoValue);
      if (added) {
        Tensor constant(fact.dtype, fact.shape());
        std::fill_n(static_cast<std::byte*>(constant.raw()), constant.bytes(), std::byte{});
        same->second = patch.constant(graph.value(v).name, constant);
        cut[constant.address()] = {kNoValue, fact, std::move(elements)};
      }
      patch.replace(v, same->second);
    }
  }
  patch.apply(graph);
  graph = graph.compacted();
  for (ValueId v = 0; v < graph.value_count(); ++v) {
    const auto found = graph.fact(v).constant ? cut.find(graph.fact(v).constant.address()) : cut.end();
    if (found == cut.end()) continue;
    values_.push_back(std::move(found->second));
    values_.back().id = v;
  }
}

bool SizeElements::set(Graph& graph, const DimSubstitution& numbers) const {
  Dims elements;
  for (const Dim& expression : expressions_) elements.push_back(numbers(expression));
  if (!std::ranges::all_of(elements, &Dim::known)) return false;
  for (const Value& value : values_) {
    Dims own;
    for (const size_t i : value.elements) own.push_back(elements[i]);
    Fact fact = with_contents(value.fact, std::move(own));
    if (!fact.constant) return false;
    graph.set_fact(value.id, std::move(fact));
  }
  return true;
}

}  // namespace linnet
