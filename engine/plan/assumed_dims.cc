#include "plan/assumed_dims.h"

#include <algorithm>
#include <map>

#include "graph/rewrite.h"
#include "passes/passes.h"
#include "tensor/same_fact.h"

namespace linnet {
namespace {

/// What is the same in both, with the symbols that are given to dims which are not.
Dims common(const Dims& a, const Dims& b) {
  Dims dims = a;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (a[i].value() != b[i].value()) dims[i] = Dim(str(a[i], " or ", b[i]));
  }
  return dims;
}

/// Empty where one is not known.
std::vector<Shape> input_shapes(const Graph& graph) {
  std::vector<Shape> shapes;
  for (const ValueId v : graph.inputs()) {
    if (!graph.fact(v).concrete()) return {};
    shapes.push_back(graph.fact(v).shape());
  }
  return shapes;
}

bool says(const Fact& fact, const Dims& dims) { return fact.has_rank() && certainly_equal(*fact.dims, dims); }

/// Whether the dims of all facts are as assumed: each symbol stands for one number.
class Check {
 public:
  bool holds(const Dims& assumed, const Fact& fact) {
    if (!fact.has_rank() || fact.dims->size() != assumed.size()) return false;
    for (size_t i = 0; i < assumed.size(); ++i) {
      const int64_t value = fact.dim(int(i)).value();
      const int64_t wanted =
          assumed[i].known() ? assumed[i].value() : sizes_.try_emplace(assumed[i].symbol(), value).first->second;
      if (value != wanted || value < 0) return false;
    }
    return true;
  }

 private:
  std::map<std::string, int64_t> sizes_;
};

}  // namespace

AssumedDims::AssumedDims(Graph& open, const Graph& a, const Graph& b, const ModelResources& resources,
                         std::span<const ValueId> asked)
    : telling_(open.registry()) {
  for (const ValueId v : open.inputs()) add(open, v, a.fact(v), b.fact(v));
  for (const NodeId id : open.nodes()) {
    infer_facts(open, open.node(id), resources);
    for (const ValueId v : open.node(id).outputs) {
      if (v != kNoValue) add(open, v, a.fact(v), b.fact(v));
    }
  }
  keep_what_tells(open, asked);
  of_a_ = input_shapes(a);
  of_b_ = input_shapes(b);
  set_line(a, b);
}

bool AssumedDims::set_line(const Graph& a, const Graph& b) {
  const Linearity linearity = Registry::Rewrites::of(*telling_.registry()).linearity;
  AssumedDims next = *this;
  next.further_sizes_ = linearity ? linearity(telling_, a, b) : 0;
  next.first_ = input_shapes(a);
  next.second_ = input_shapes(b);
  if (next.first_.empty() || !next.hold_further(of_a_) || !next.hold_further(of_b_)) return false;
  *this = std::move(next);
  return true;
}

bool AssumedDims::is_further(size_t input, const Shape& shape, int64_t& index) const {
  const Shape &first = first_[input], &second = second_[input];
  if (shape.rank() != first.rank()) return false;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t slope = second[d] - first[d], more = shape[d] - first[d];
    if (slope == 0 && more == 0) continue;
    if (slope == 0 || more < 0 || more % slope != 0 || (index >= 0 && index != more / slope)) return false;
    index = more / slope;
  }
  return index <= further_sizes_;
}

void AssumedDims::add(Graph& open, ValueId value, const Fact& a, const Fact& b) {
  if (!a.concrete() || !b.concrete() || a.rank() != b.rank() || is_container(a.dtype)) return;
  Fact fact = open.fact(value);
  Dims dims = common(*a.dims, *b.dims);
  if (says(fact, dims)) return;
  fact.dims = dims;
  open.set_fact(value, std::move(fact));
  values_.push_back(value);
  dims_.push_back(std::move(dims));
}

void AssumedDims::keep_what_tells(const Graph& open, std::span<const ValueId> asked) {
  std::vector<bool> needed(size_t(open.value_count()), false);
  for (const ValueId v : asked) needed[size_t(v)] = true;
  for (const ValueId v : values_) needed[size_t(v)] = true;
  std::vector<NodeId> nodes;
  for (auto id = open.nodes().rbegin(); id != open.nodes().rend(); ++id) {
    const Node& node = open.node(*id);
    const auto is_needed = [&](ValueId v) { return v != kNoValue && needed[size_t(v)]; };
    if (std::none_of(node.outputs.begin(), node.outputs.end(), is_needed)) continue;
    nodes.push_back(*id);
    for (const ValueId v : node.inputs) {
      if (v != kNoValue) needed[size_t(v)] = true;
    }
  }
  std::reverse(nodes.begin(), nodes.end());
  std::vector<Graph::Output> outputs;
  for (const ValueId v : values_) outputs.push_back({open.value(v).name, v});
  for (const ValueId v : asked) outputs.push_back({open.value(v).name, v});
  telling_ = open.part(nodes, open.inputs(), outputs);
}

bool AssumedDims::hold(const std::vector<Fact>& inputs, const ModelResources& resources) {
  std::vector<bool> changed(size_t(telling_.value_count()), !std::exchange(current_, false));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId input = telling_.inputs()[i];
    if (same_fact(inputs[i], telling_.fact(input))) continue;
    changed[size_t(input)] = true;
    telling_.set_fact(input, inputs[i]);
  }
  update_facts(telling_, changed, resources);
  current_ = true;
  Check check;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (!check.holds(dims_[i], telling_.fact(values_[i]))) return false;
  }
  return true;
}

}  // namespace linnet
