#include "rewrites/growing_states.h"

#include <algorithm>
#include <map>
#include <set>

#include "attention/attention_scores.h"
#include "passes/passes.h"
#include "rewrites/growing_columns.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/state_writer.h"
#include "rewrites/matching/written_attention.h"

namespace linnet {
namespace {

using Slots = AttentionSlots;

/// Makes the nodes that write and read states ones that do so in place.
class InPlaceStates {
 public:
  InPlaceStates(const Graph& graph, const std::vector<GrowingState>& states) : graph_(graph), states_(states) {}

  bool apply() {
    if (states_.empty() || !alike()) return false;
    const GrowingState& first = states_[0];
    rows_ = graph_.add_input("rows", Fact(DType::kInt64, Dims{graph_.fact(first.input).dim(0)}));
    for (const GrowingState& state : states_) {
      if (!spell_past(state) || !write(state)) return false;
    }
    const std::vector<NodeId> nodes = graph_.nodes();
    for (const NodeId id : nodes) {
      if (graph_.alive(id) && !count_keys(graph_.node(id))) return false;
    }
    share_shapes();
    merge_equal_nodes(graph_);
    graph_.drop_dead_nodes();
    return std::all_of(written_.begin(), written_.end(), [&](ValueId v) { return only_attention_reads(v); });
  }

  const Graph& graph() const { return graph_; }
  ValueId rows() const { return rows_; }
  /// nullopt where states do not all grow alike.
  std::optional<StateRows> state_rows() const {
    std::vector<ValueId> inputs;
    for (const GrowingState& state : states_) inputs.push_back(state.input);
    const Dim total = lengths_.begin()->second;
    const bool alike = std::all_of(lengths_.begin(), lengths_.end(),
                                   [&](const auto& each) { return certainly_equal(each.second, total); });
    if (!alike || written_rows_.size() != 1 || *written_rows_.begin() < 1) return std::nullopt;
    return StateRows{inputs, rows_, *written_rows_.begin(), total};
  }
  bool is_written(ValueId value) const { return written_.contains(value); }
  bool is_state(ValueId value) const {
    return std::any_of(states_.begin(), states_.end(), [&](const GrowingState& s) { return s.input == value; });
  }
  /// Of a node that only `steps` may have.
  bool is_counted(const Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return is_written(v); }) ||
           std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) { return is_written(v); });
  }

 private:
  /// All states are [batch, heads, rows, size], of as many rows.
  bool alike() const {
    const Fact& first = graph_.fact(states_[0].input);
    return std::all_of(states_.begin(), states_.end(), [&](const GrowingState& s) {
      const Fact& fact = graph_.fact(s.input);
      return s.axis == 2 && fact.rank() == 4 && first.rank() == 4 && fact.dim(0).known() &&
             certainly_equal(fact.dim(0), first.dim(0)) && certainly_equal(fact.dim(2), first.dim(2));
    });
  }

  ValueId output(const GrowingState& state) const { return graph_.outputs()[state.output].value; }

  /// Attention(q, k, v, mask, past_key, past_value) puts k and v behind the past by Concat.
  bool spell_past(const GrowingState& state) {
    const Node* node = graph_.producer(output(state));
    if (!node || !is_attention(*node)) return true;
    const auto patch = concat_past(graph_, *node, rows_);
    if (!patch) return false;
    std::vector<Fact> before;  // no rule tells that sums of open dims are equal
    for (const GrowingState& each : states_) before.push_back(graph_.fact(output(each)));
    patch->apply(graph_);
    for (size_t i = 0; i < states_.size(); ++i) graph_.set_fact(output(states_[i]), before[i]);
    return true;
  }

  bool write(const GrowingState& state) {
    const auto writer = state_writer(graph_, state);
    if (!writer) return false;
    const int64_t new_rows = graph_.fact(writer->rows).dim(state.axis).value();
    Fact past = graph_.fact(state.input);
    const int past_rank = past.rank();
    (*past.dims)[size_t(state.axis)] = Dim(kCapacity);
    graph_.set_fact(state.input, std::move(past));
    Patch patch(graph_);
    NodeSpec spec = standard_spec(*writer->node, "TensorScatter", 24);
    spec.attributes = {{"axis", int64_t{state.axis}}};
    const ValueId begins = writer->begins == kNoValue ? rows_ : writer->begins;
    const ValueId written = patch.add(spec, {state.input, writer->rows, begins});
    for (const Node* shape : writer->shapes) {
      patch.replace(shape->outputs[0], shape_behind(patch, *shape, state, past_rank, new_rows));
    }
    const ValueId before = output(state);
    patch.replace(before, written);
    patch.apply(graph_);
    written_.insert(output(state));
    lengths_[output(state)] = writer->length;
    written_rows_.insert(new_rows);
    return writer->begins != kNoValue || add_new_rows(new_rows);
  }

  bool add_new_rows(int64_t rows) {
    const bool same = new_rows_ < 0 || new_rows_ == rows;
    new_rows_ = rows;
    return same;
  }

  /// The shape of a state with its new rows, from that without.
  static ValueId shape_behind(Patch& patch, const Node& shape, const GrowingState& state, int rank, int64_t new_rows) {
    const auto bound = [&](const char* name, int64_t otherwise) {
      const int64_t at = shape.spec.attr_or(name, otherwise);
      return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const int64_t begin = bound("start", 0), end = std::max(begin, bound("end", rank));
    std::vector<int64_t> more(size_t(end - begin), 0);
    if (state.axis >= begin && state.axis < end) more[size_t(state.axis - begin)] = new_rows;
    const ValueId past = patch.add(shape.spec, {state.input});
    return patch.add(standard_spec(shape, "Add", 7),
                     {past, patch.constant(shape.spec.name + ".more", Tensor::of(more))});
  }

  /// Tells an Attention that reads states how many of the rows count. False where it cannot be told.
  bool count_keys(const Node& node) {
    if (!is_attention(node) || !is_counted(node)) return true;
    const bool alone =
        std::all_of(node.outputs.begin() + 1, node.outputs.end(), [](ValueId v) { return v == kNoValue; });
    if (!alone || !is_written(node.inputs[Slots::kK]) || !is_written(node.inputs[Slots::kV]) || !mask_fits(node)) {
      return false;
    }
    if (optional_input(node, Slots::kKeyCounts) != kNoValue) return true;
    Patch patch(graph_);
    NodeSpec spec = node.spec;
    spec.domain = kInternalDomain;
    std::vector<ValueId> inputs = node.inputs;
    inputs.resize(std::max<size_t>(inputs.size(), Slots::kQueryPositions + 1), kNoValue);
    const int64_t batch = graph_.fact(rows_).dim(0).value();
    const auto each = [&](const char* name, int64_t value) {
      Tensor values(DType::kInt64, Shape{batch});
      std::fill_n(values.data<int64_t>(), batch, value);
      return patch.constant(node.spec.name + name, values);
    };
    inputs[Slots::kKeyCounts] = patch.add(standard_spec(node, "Add", 7), {rows_, each(".new_rows", new_rows_)});
    ValueId& positions = inputs[Slots::kQueryPositions];
    if (positions == kNoValue) positions = each(".first_position", 0);
    patch.replace(node, patch.add_for(node, spec, inputs));
    patch.apply(graph_);
    return true;
  }

  /// Whether the mask, if any, has a column for each row of the keys.
  bool mask_fits(const Node& node) const {
    const ValueId mask = optional_input(node, Slots::kMask);
    if (mask == kNoValue) return true;
    const Fact& fact = graph_.fact(mask);
    return fact.has_rank() && fact.rank() > 0 &&
           certainly_equal(fact.dim(fact.rank() - 1), lengths_.at(node.inputs[Slots::kK]));
  }

  /// Nodes that read the shapes of states of one shape read that of the first, so that they can be merged.
  void share_shapes() {
    for (const GrowingState& state : states_) {
      const auto same = [&](const GrowingState& s) {
        return same_dims(graph_.fact(s.input), graph_.fact(state.input));
      };
      const ValueId first = std::find_if(states_.begin(), states_.end(), same)->input;
      if (first == state.input) continue;
      const std::vector<NodeId> readers = graph_.consumers(state.input);
      for (const NodeId id : readers) {
        const Node& node = graph_.node(id);
        if (!is_op(node, "Shape")) continue;
        Patch patch(graph_);
        patch.replace(node, patch.add_for(node, node.spec, {first}));
        patch.apply(graph_);
      }
    }
  }

  bool only_attention_reads(ValueId value) const {
    const std::vector<NodeId>& readers = graph_.consumers(value);
    return std::all_of(readers.begin(), readers.end(), [&](NodeId id) { return is_attention(graph_.node(id)); });
  }

  Graph graph_;
  const std::vector<GrowingState>& states_;
  ValueId rows_ = kNoValue;
  int64_t new_rows_ = -1;
  std::set<ValueId> written_;
  std::map<ValueId, Dim> lengths_;  // of written_, as far as rows are in use
  std::set<int64_t> written_rows_;  // by a run
};

/// Divides a graph whose states are written in place.
class Division {
 public:
  Division(const Graph& original, const InPlaceStates& states)
      : original_(original), states_(states), graph_(states.graph()), sizes_(size_t(graph_.node_capacity()), false) {}

  std::optional<GrowingGraphs> divide() {
    for (const NodeId id : graph_.nodes()) {
      const Node& node = graph_.node(id);
      if (!states_.is_counted(node) && depends_on_lengths(node) && !add_to_sizes(node)) return std::nullopt;
    }
    if (!find_border() || !outputs_have_sizes()) return std::nullopt;
    const auto rows = states_.state_rows();
    const auto columns = rows ? compute_columns(graph_, nodes(true), *rows) : std::nullopt;
    if (columns) return GrowingGraphs{original_.part({}, original_.inputs(), {}), steps(*columns), states_.rows()};
    return GrowingGraphs{sizes(), steps(), states_.rows()};
  }

 private:
  bool is_open(ValueId v) const { return v != kNoValue && !graph_.fact(v).concrete() && !states_.is_written(v); }
  bool in_sizes(const Node* node) const { return node && sizes_[size_t(node->id)]; }

  bool depends_on_lengths(const Node& node) const {
    const auto open = [&](ValueId v) { return is_open(v); };
    if (std::any_of(node.inputs.begin(), node.inputs.end(), open)) return true;
    if (std::any_of(node.outputs.begin(), node.outputs.end(), open)) return true;
    const std::vector<int> needed = node.op->value_inputs();
    return std::any_of(needed.begin(), needed.end(), [&](int i) {
      const Fact& fact = graph_.input_fact(node, i);
      return fact.present() && !fact.constant;
    });
  }

  /// With all that it is computed from. False where that is work of `steps`, or the contents of a state.
  bool add_to_sizes(const Node& node) {
    if (in_sizes(&node)) return true;
    if (states_.is_counted(node)) return false;
    sizes_[size_t(node.id)] = true;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
      if (states_.is_state(v)) return is_op(node, "Shape");
      const Node* producer = graph_.producer(v);
      return !producer || add_to_sizes(*producer);
    });
  }

  /// What `steps` read of `sizes`.
  bool find_border() {
    for (const NodeId id : graph_.nodes()) {
      const Node& node = graph_.node(id);
      for (size_t i = 0; i < node.inputs.size() && !in_sizes(&node); ++i) {
        const ValueId v = node.inputs[i];
        if (states_.is_state(v)) continue;
        if (is_open(v) && !is_mask(node, i)) return false;
        if (in_sizes(graph_.producer(v))) border_.insert(v);
      }
    }
    for (const Graph::Output& output : graph_.outputs()) {
      if (in_sizes(graph_.producer(output.value))) border_.insert(output.value);
    }
    return true;
  }

  bool is_mask(const Node& node, size_t input) const {
    const Dims& dims = *graph_.fact(node.inputs[input]).dims;
    return is_attention(node) && input == Slots::kMask &&
           std::all_of(dims.begin(), dims.end() - 1, [](const Dim& dim) { return dim.known(); });
  }

  bool outputs_have_sizes() const {
    return std::none_of(graph_.outputs().begin(), graph_.outputs().end(),
                        [&](const Graph::Output& output) { return is_open(output.value); });
  }

  std::vector<NodeId> nodes(bool of_sizes) const {
    std::vector<NodeId> result;
    for (const NodeId id : graph_.nodes()) {
      if (sizes_[size_t(id)] == of_sizes) result.push_back(id);
    }
    return result;
  }

  Graph sizes() const {
    std::vector<Graph::Output> outputs;
    for (const ValueId v : border_) outputs.push_back({graph_.value(v).name, v});
    Graph result = graph_.part(nodes(true), original_.inputs(), outputs);
    for (const ValueId v : original_.inputs()) result.set_fact(v, original_.fact(v));
    return result;
  }

  bool steps_read(ValueId input) const {
    const std::vector<NodeId>& readers = graph_.consumers(input);
    return graph_.is_output(input) ||
           std::any_of(readers.begin(), readers.end(), [&](NodeId id) { return !sizes_[size_t(id)]; });
  }

  /// All of a graph in which nothing depends on lengths.
  Graph steps(const Graph& columns) const {
    std::vector<ValueId> inputs;
    for (const ValueId v : columns.inputs()) {
      if (columns.is_output(v) || !columns.consumers(v).empty()) inputs.push_back(v);
    }
    const std::vector<NodeId> all(columns.nodes().begin(), columns.nodes().end());
    return with_room(columns.part(all, inputs, columns.outputs()));
  }

  Graph steps() const {
    std::vector<ValueId> inputs;
    for (const ValueId v : graph_.inputs()) {
      if (steps_read(v)) inputs.push_back(v);
    }
    inputs.insert(inputs.end(), border_.begin(), border_.end());
    return with_room(graph_.part(nodes(false), inputs, graph_.outputs()));
  }

  /// What has a column for each row has one for each that there is room for.
  Graph with_room(Graph steps) const {
    for (const ValueId v : steps.inputs()) {
      if (!is_open(v) || states_.is_state(v)) continue;
      Fact fact = graph_.fact(v);
      fact.dims->back() = Dim(kCapacity);
      steps.set_fact(v, std::move(fact));
    }
    return steps;
  }

  const Graph& original_;
  const InPlaceStates& states_;
  const Graph& graph_;
  std::vector<bool> sizes_;  // by node
  std::set<ValueId> border_;
};

}  // namespace

std::optional<GrowingGraphs> growing_states(const Graph& graph, const std::vector<GrowingState>& states) {
  InPlaceStates in_place(graph, states);
  if (!in_place.apply()) return std::nullopt;
  return Division(graph, in_place).divide();
}

}  // namespace linnet
