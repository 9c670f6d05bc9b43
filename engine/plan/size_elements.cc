#include "plan/size_elements.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "graph/patch.h"
#include "passes/contents.h"
#include "tensor/polynomial.h"

namespace linnet {
namespace {

constexpr int64_t kSample = 7;  // a size to test expressions with: those with a number for every size have one

}  // namespace

/// Replaces the values in a graph by constants.
class SizeElements::Cutter {
 public:
  Cutter(const Graph& graph, const OpenDims& open, std::vector<Dim>& expressions)
      : graph_(graph),
        sample_(open.numbers(std::vector<int64_t>(open.count(), kSample))),
        expressions_(expressions),
        patch_(graph) {}

  void cut(ValueId v) {
    const Fact& fact = graph_.fact(v);
    if (fact.constant || !fact.contents || !fact.concrete() || fact.contents->empty()) return;
    const auto has_number = [&](const Dim& element) { return element.determined() && sample_(element).known(); };
    if (!std::ranges::all_of(*fact.contents, has_number)) return;
    const std::vector<size_t> elements = indices(*fact.contents);
    const Shape shape = fact.shape();
    const auto dims = shape.dims();
    const auto [same, added] = known_.try_emplace({fact.dtype, {dims.begin(), dims.end()}, elements}, kNoValue);
    if (added) same->second = new_constant(v, elements);
    patch_.replace(v, same->second);
  }

  /// Changes the graph, without the nodes that are no longer needed, and returns the values of it that are to be set.
  std::vector<Value> finish(Graph& graph) {
    patch_.apply(graph);
    graph = graph.compacted();
    std::vector<Value> values;
    for (ValueId v = 0; v < graph.value_count(); ++v) {
      const Tensor& constant = graph.fact(v).constant;
      const auto found = constant ? cut_.find(constant.address()) : cut_.end();
      if (found == cut_.end()) continue;
      values.push_back(std::move(found->second));
      values.back().id = v;
    }
    return values;
  }

 private:
  struct Less {
    bool operator()(const Dim& a, const Dim& b) const { return compare(a, b) < 0; }
  };

  std::vector<size_t> indices(const Dims& elements) {
    std::vector<size_t> result;
    for (const Dim& element : elements) {
      const auto [index, added] = indices_.try_emplace(element, expressions_.size());
      if (added) expressions_.push_back(element);
      result.push_back(index->second);
    }
    return result;
  }

  ValueId new_constant(ValueId v, const std::vector<size_t>& elements) {
    const Fact& fact = graph_.fact(v);
    Tensor constant(fact.dtype, fact.shape());
    std::fill_n(static_cast<std::byte*>(constant.raw()), constant.bytes(), std::byte{});
    cut_[constant.address()] = {kNoValue, fact, elements};
    return patch_.constant(graph_.value(v).name, constant);
  }

  const Graph& graph_;
  const DimSubstitution sample_;
  std::vector<Dim>& expressions_;
  Patch patch_;
  std::map<Dim, size_t, Less> indices_;  // of expressions
  std::map<std::tuple<DType, std::vector<int64_t>, std::vector<size_t>>, ValueId> known_;
  std::map<const void*, Value> cut_;  // by the address of its constant
};

SizeElements::SizeElements(Graph& graph, const OpenDims& open) {
  Cutter cutter(graph, open, expressions_);
  for (const NodeId id : graph.nodes()) {
    for (const ValueId v : graph.node(id).outputs) {
      if (v != kNoValue) cutter.cut(v);
    }
  }
  values_ = cutter.finish(graph);
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
