#include "plan/growing_graph.h"

#include <algorithm>
#include <map>

#include "graph/prefix_graph.h"

namespace linnet {
namespace {

/// The stage in which each node runs, by id. Nodes in regions have odd stages. A node reads only values of the
/// same stage or earlier ones.
std::vector<int> stages_of(const Graph& graph, const std::vector<bool>& in_region) {
  std::vector<int> stages(size_t(graph.node_capacity()), 0);
  for (const NodeId id : graph.nodes()) {
    const bool own = in_region[size_t(id)];
    int& stage = stages[size_t(id)] = own ? 1 : 0;
    for (const ValueId v : graph.node(id).inputs) {
      const Node* producer = graph.producer(v);
      if (!producer) continue;
      const auto from = size_t(producer->id);
      stage = std::max(stage, stages[from] + int(in_region[from] != own));
    }
  }
  return stages;
}

/// Adds nodes to a graph on values with room. A first pass finds the nodes that can only run on the rows in use; it
/// takes their outputs for inputs of the graph.
class Builder final : public PrefixGraph {
 public:
  Builder(const Graph& open, const Growth& growth, const std::vector<int64_t>& capacities)
      : open_(open), growth_(growth), rooms_(growth, capacities), result_(open.registry()) {
    start();
  }

  std::optional<GrowingGraph> build() {
    std::vector<bool> in_region(size_t(open_.node_capacity()), false);
    for (const NodeId id : open_.nodes()) in_region[size_t(id)] = !is_known(open_.node(id)) && !add_node(id, true);
    const std::vector<int> stages = stages_of(open_, in_region);
    const int last = stages.empty() ? 0 : *std::ranges::max_element(stages);
    start();
    for (int stage = 0; stage <= last; ++stage) {
      std::vector<NodeId> nodes;
      for (const NodeId id : open_.nodes()) {
        if (stages[size_t(id)] == stage && !is_known(open_.node(id))) nodes.push_back(id);
      }
      const bool is_region = stage % 2 == 1;
      if (is_region && !nodes.empty() && !add_region(nodes)) return std::nullopt;
      for (const NodeId id : nodes) {
        if (is_region) continue;
        if (!add_node(id, false)) return std::nullopt;
        others_.push_back(id);
      }
    }
    return finished();
  }

  const Graph& graph() const override { return open_; }
  const Node& node() const override { return *node_; }
  const Fact& input(int i) const override { return open_.input_fact(*node_, i); }
  const Fact& output(int i) const override {
    return open_.fact(i < int(node_->outputs.size()) ? node_->outputs[size_t(i)] : kNoValue);
  }
  int input_axis(int i) const override { return rooms_.axis(input(i)); }
  int output_axis(int i) const override { return rooms_.axis(output(i)); }
  int64_t room(const Dim& dim) const override { return rooms_.of(dim).value_or(-1); }

  ValueId origin(ValueId v) const override {
    const auto known = origins_.find(v);
    return known == origins_.end() ? v : known->second;
  }

  ValueId now(ValueId v) override {
    if (v == kNoValue || now_[size_t(v)] != kNoValue) return v == kNoValue ? v : now_[size_t(v)];
    ValueId made = kNoValue;
    const Fact& fact = open_.fact(v);
    if (fact.constant) {
      made = result_.add_constant(open_.value(v).name, fact.constant);
    } else if (open_.is_input(v)) {
      made = add_input(v);
    } else if (const auto elements = elements_of(fact)) {
      made = numbers(*elements, fact.shape(), fact.dtype);
    }
    if (made == kNoValue)
      throw Error(ErrorKind::kInternal, str("value '", open_.value(v).name, "' has no counterpart in the new graph"));
    return now_[size_t(v)] = made;
  }

  ValueId add(NodeSpec spec, std::vector<ValueId> inputs) override { return add_inferred(std::move(spec), inputs); }
  ValueId constant(const std::string& name, const Tensor& value) override { return result_.add_constant(name, value); }
  ValueId numbers(const Dims& dims, const Shape& shape) override { return numbers(dims, shape, DType::kInt64); }
  void give(int output, ValueId v) override {
    const ValueId old = output < int(node_->outputs.size()) ? node_->outputs[size_t(output)] : kNoValue;
    if (old != kNoValue) now_[size_t(old)] = v;
  }

  bool carry() override {
    std::vector<Fact> in;
    for (size_t i = 0; i < node_->inputs.size(); ++i) {
      const std::optional<Fact> fact = carried_input(i);
      if (!fact) return false;
      in.push_back(*fact);
    }
    for (const ValueId v : node_->outputs) {
      if (v != kNoValue && !same_rows(v)) return false;
    }
    const std::vector<Fact> inferred = infer_node(*node_, in);
    for (size_t i = 0; i < node_->outputs.size(); ++i) {
      if (node_->outputs[i] == kNoValue) continue;
      const auto wanted = rooms_.fact(open_.fact(node_->outputs[i]));
      if (!inferred[i].concrete() || !wanted || inferred[i].shape() != wanted->shape()) return false;
    }
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < in.size(); ++i) {
      const bool is_shape = in[i].constant && !input(int(i)).constant;
      inputs.push_back(is_shape ? constant(node_->spec.name + ".shape", in[i].constant) : now(node_->inputs[i]));
    }
    add_same(std::move(inputs));
    note_origin();
    return true;
  }

 protected:
  int inputs() const override { return int(node_->inputs.size()); }

 private:
  void start() {
    result_ = Graph(open_.registry());
    now_.assign(size_t(open_.value_count()), kNoValue);
    sources_.clear();
    numbers_.clear();
    origins_.clear();
    rows_ = result_.add_input("rows", Fact(DType::kInt64, Shape{int64_t(growth_.rows.size())}));
  }

  /// Whether all outputs of the node are numbers that depend on counts; the nodes that need them create them.
  bool is_known(const Node& node) const {
    return std::ranges::all_of(node.outputs, [&](ValueId v) { return v == kNoValue || is_known(v); });
  }
  bool is_known(ValueId v) const {
    const auto elements = elements_of(open_.fact(v));
    return elements && std::ranges::all_of(*elements, [&](const Dim& dim) { return rooms_.linear(dim).has_value(); });
  }

  /// False if the node must run in a region. dry: its outputs then become inputs, for other nodes.
  bool add_node(NodeId id, bool dry) {
    node_ = &open_.node(id);
    bool added = false;
    try {
      added = is_plain() ? add_plain() : node_->op->prefix(*this);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kCancelled || error.kind() == ErrorKind::kLimit) throw;
    }
    for (const ValueId v : node_->outputs) {
      if (added || v == kNoValue || !dry) continue;
      now_[size_t(v)] = result_.add_input(open_.value(v).name, rooms_.fact(open_.fact(v)).value_or(open_.fact(v)));
    }
    return added;
  }

  bool is_plain() const {
    const auto has_size = [&](ValueId v) { return v == kNoValue || open_.fact(v).concrete(); };
    const std::vector<int> needed = node_->op->value_inputs();
    return std::ranges::all_of(node_->inputs, has_size) && std::ranges::all_of(node_->outputs, has_size) &&
           std::ranges::all_of(needed, [&](int i) { return !input(i).present() || input(i).constant; });
  }

  bool add_plain() {
    std::vector<ValueId> inputs;
    for (const ValueId v : node_->inputs) inputs.push_back(now(v));
    add_same(std::move(inputs));
    return true;
  }

  void add_same(std::vector<ValueId> inputs) {
    std::vector<std::string> names;
    for (const ValueId v : node_->outputs) names.push_back(v == kNoValue ? "" : open_.value(v).name);
    const Node& added = result_.node(result_.add_node(node_->spec, std::move(inputs), names));
    for (size_t i = 0; i < node_->outputs.size(); ++i) {
      if (node_->outputs[i] == kNoValue) continue;
      now_[size_t(node_->outputs[i])] = added.outputs[i];
      result_.set_fact(added.outputs[i], *rooms_.fact(open_.fact(node_->outputs[i])));
    }
  }

  /// Adds a node with one output.
  ValueId add_inferred(NodeSpec spec, const std::vector<ValueId>& inputs) {
    const std::string name = str(spec.name, ":", spec.op_type);
    spec.num_inputs = int(inputs.size());
    spec.num_outputs = 1;
    const Node& node = result_.node(result_.add_node(std::move(spec), inputs, {name}));
    result_.set_fact(node.outputs[0], infer_node(node, input_facts(result_, node))[0]);
    return node.outputs[0];
  }

  ValueId add_input(ValueId v) {
    const auto fact = rooms_.fact(open_.fact(v));
    if (!fact) throw Error(ErrorKind::kUnsupported, "an input that grows along several axes");
    const std::vector<ValueId>& inputs = open_.inputs();
    sources_.push_back({size_t(std::ranges::find(inputs, v) - inputs.begin()), rooms_.axis(open_.fact(v))});
    return result_.add_input(open_.value(v).name, *fact);
  }

  ValueId numbers(const Dims& dims, const Shape& shape, DType dtype) {
    std::vector<int64_t> key{int64_t(dtype)}, bases, slopes;
    for (const Dim& dim : dims) {
      const auto linear = rooms_.linear(dim);
      if (!linear) return kNoValue;
      bases.push_back(linear->base);
      for (size_t i = 0; i < rooms_.counts(); ++i) slopes.push_back(linear->slope(i));
    }
    for (const auto* part : {&bases, &slopes}) key.insert(key.end(), part->begin(), part->end());
    key.insert(key.end(), shape.begin(), shape.end());
    ValueId& made = numbers_.try_emplace(key, kNoValue).first->second;
    if (made != kNoValue) return made;
    NodeSpec spec = internal_node("DimValues", "counts");
    spec.attributes = {{"bases", bases},
                       {"slopes", slopes},
                       {"shape", std::vector<int64_t>(shape.begin(), shape.end())},
                       {"to", int64_t(dtype)}};
    return made = add_inferred(std::move(spec), {rows_});
  }

  void note_origin() {
    if (node_->outputs.size() != 1 || !node_->op->moves(0)) return;
    for (int i = 1; i < inputs(); ++i) {
      if (node_->op->moves(i)) return;
    }
    origins_[node_->outputs[0]] = origin(node_->inputs[0]);
  }

  /// The fact from which carry() infers an input: a shape becomes a constant.
  std::optional<Fact> carried_input(size_t i) {
    const Fact& fact = input(int(i));
    const std::vector<int> needed = node_->op->value_inputs();
    if (!fact.present() || fact.constant || std::ranges::find(needed, int(i)) == needed.end()) {
      return fact.present() ? rooms_.fact(fact) : Fact();
    }
    const auto elements = elements_of(fact);
    if (!elements || fact.dtype != DType::kInt64) return std::nullopt;
    Tensor sizes(DType::kInt64, fact.shape());
    for (size_t k = 0; k < elements->size(); ++k) {
      const auto size = rooms_.of((*elements)[k]);
      if (!size) return std::nullopt;
      sizes.data<int64_t>()[k] = *size;
    }
    return Fact(sizes);
  }

  /// Whether an output has as many rows as each input that has rows.
  bool same_rows(ValueId v) const {
    const Fact& out = open_.fact(v);
    const int axis = rooms_.axis(out);
    if (axis < 0) return false;
    for (int i = 0; i < inputs(); ++i) {
      const Fact& in = input(i);
      if (in.present() && !rooms_.fact(in)) return false;
      if (input_axis(i) >= 0 && !certainly_equal(in.dim(input_axis(i)), out.dim(axis))) return false;
    }
    return true;
  }

  /// Adds a node that runs these nodes on the rows in use.
  bool add_region(const std::vector<NodeId>& nodes) {
    std::vector<ValueId> inputs;
    std::vector<Graph::Output> outputs;
    std::vector<bool> own(size_t(open_.node_capacity()), false);
    for (const NodeId id : nodes) own[size_t(id)] = true;
    const auto is_own = [&](ValueId v) { return open_.producer(v) && own[size_t(open_.producer(v)->id)]; };
    const auto is_read = [&](ValueId v) {
      const std::vector<NodeId>& readers = open_.consumers(v);
      return open_.is_output(v) || std::ranges::any_of(readers, [&](NodeId id) { return !own[size_t(id)]; });
    };
    for (const NodeId id : nodes) {
      for (const ValueId v : open_.node(id).inputs) {
        if (v == kNoValue || is_own(v) || open_.fact(v).constant || std::ranges::count(inputs, v)) continue;
        inputs.push_back(v);
      }
      for (const ValueId v : open_.node(id).outputs) {
        if (v != kNoValue && is_read(v) && !is_known(v)) outputs.push_back({open_.value(v).name, v});
      }
    }
    const auto has_room = [&](ValueId v) { return rooms_.fact(open_.fact(v)).has_value(); };
    const auto gives_room = [&](const Graph::Output& output) { return has_room(output.value); };
    if (!std::ranges::all_of(inputs, has_room) || !std::ranges::all_of(outputs, gives_room)) return false;
    add_region_node(open_.part(nodes, inputs, outputs), open_.node(nodes[0]).spec.name, true);
    return true;
  }

  /// wide: whether its outputs have room, too.
  std::vector<ValueId> add_region_node(Graph part, const std::string& name, bool wide) {
    std::vector<ValueId> inputs{rows_};
    for (const ValueId v : part.inputs()) inputs.push_back(now(v));
    std::vector<std::string> names;
    for (const Graph::Output& output : part.outputs()) names.push_back(output.name);
    RowRegionNode region = row_region_node(open_, std::move(part), name, rooms_, wide);
    region.spec.num_inputs = int(inputs.size());
    region.spec.num_outputs = int(names.size());
    const Node& node = result_.node(result_.add_node(std::move(region.spec), inputs, names));
    for (size_t i = 0; i < names.size(); ++i) {
      result_.set_fact(node.outputs[i], region.outputs[i]);
      if (wide) now_[size_t(region.region.body->outputs()[i].value)] = node.outputs[i];
    }
    regions_.push_back(std::move(region.region));
    return node.outputs;
  }

  std::optional<GrowingGraph> finished() {
    const std::optional<std::vector<ValueId>> outputs = finished_outputs();
    if (!outputs) return std::nullopt;
    for (size_t i = 0; i < outputs->size(); ++i) result_.add_output(open_.outputs()[i].name, (*outputs)[i]);
    result_.drop_dead_nodes();
    std::vector<ValueId> inputs;
    std::vector<GrowingGraph::Source> sources;
    for (size_t i = 0; i < result_.inputs().size(); ++i) {
      const ValueId v = result_.inputs()[i];
      if (i > 0 && !result_.is_output(v) && result_.consumers(v).empty()) continue;
      inputs.push_back(v);
      if (i > 0) sources.push_back(sources_[i - 1]);
    }
    const std::vector<NodeId> all(result_.nodes().begin(), result_.nodes().end());
    return GrowingGraph{result_.part(all, inputs, result_.outputs()), std::move(sources), std::move(regions_),
                        std::move(others_)};
  }

  bool is_state(size_t output) const {
    return std::ranges::any_of(growth_.states, [&](const GrowingState& state) { return state.output == output; });
  }

  /// The final outputs: states have room; all other outputs have the rows in use.
  std::optional<std::vector<ValueId>> finished_outputs() {
    std::vector<ValueId> values, wide;
    for (size_t i = 0; i < open_.outputs().size(); ++i) {
      const ValueId v = open_.outputs()[i].value;
      if (!rooms_.fact(open_.fact(v))) return std::nullopt;
      values.push_back(now(v));
      if (!is_state(i) && rooms_.axis(open_.fact(v)) >= 0) wide.push_back(v);
    }
    if (wide.empty()) return values;
    std::ranges::sort(wide);
    wide.erase(std::unique(wide.begin(), wide.end()), wide.end());
    std::vector<Graph::Output> copies;
    for (const ValueId v : wide) copies.push_back({open_.value(v).name + ":rows", v});
    const std::vector<ValueId> exact = add_region_node(open_.part({}, wide, copies), "rows in use", false);
    for (size_t i = 0; i < values.size(); ++i) {
      const auto found = std::ranges::find(wide, open_.outputs()[i].value);
      if (!is_state(i) && found != wide.end()) values[i] = exact[size_t(found - wide.begin())];
    }
    return values;
  }

  const Graph& open_;
  const Growth& growth_;
  Rooms rooms_;
  Graph result_;
  ValueId rows_ = kNoValue;
  std::vector<ValueId> now_;  // by value of open_
  std::vector<GrowingGraph::Source> sources_;
  std::map<ValueId, ValueId> origins_;
  std::map<std::vector<int64_t>, ValueId> numbers_;
  std::vector<RowRegion> regions_;
  std::vector<NodeId> others_;
  const Node* node_ = nullptr;
};

}  // namespace

std::optional<GrowingGraph> growing_graph(const Graph& open, const Growth& growth,
                                          const std::vector<int64_t>& capacities) {
  return Builder(open, growth, capacities).build();
}

}  // namespace linnet
