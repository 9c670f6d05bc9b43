#include "rewrites/growing_columns.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "graph/patch.h"
#include "graph/rewrite.h"
#include "infer/infer.h"
#include "rewrites/matching/broadcasting.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

class Columns {
 public:
  Columns(const Graph& graph, const StateRows& state_rows) : graph_(graph), rows_(state_rows), patch_(graph) {
    for (const ValueId v : graph.inputs()) {
      if (!is_state(v) && has_columns(v)) forms_[v] = {v, v, false};
    }
  }

  std::optional<Graph> apply(const std::vector<NodeId>& nodes) {
    for (const NodeId id : nodes) {
      if (!add(graph_.node(id))) return std::nullopt;
    }
    Graph result = graph_;
    for (const auto& [old, form] : forms_) {
      if (old != form.now) patch_.replace(old, form.now);
    }
    patch_.apply(result);
    for (const auto& [old, form] : forms_) result.set_fact(form.now, with_room(graph_.fact(old)));
    result.drop_dead_nodes();
    return result;
  }

 private:
  /// What stands for a value that depends on lengths: what it is in the run, and what shape rules read, which is known
  /// when the plan is made. One and the same where it has columns.
  struct Form {
    ValueId now, planned;
    bool is_number;  ///< made from lengths alone
  };

  bool is_state(ValueId v) const { return std::ranges::count(rows_.states, v) > 0; }
  bool depends(ValueId v) const { return forms_.contains(v); }
  bool has_columns(ValueId v) const { return v != kNoValue && !graph_.fact(v).concrete(); }
  bool is_number(ValueId v) const { return depends(v) && forms_.at(v).is_number; }
  ValueId now(ValueId v) const { return depends(v) ? forms_.at(v).now : v; }
  ValueId planned(ValueId v) const { return depends(v) ? forms_.at(v).planned : v; }

  Fact with_room(Fact fact) const {
    for (Dim& dim : *fact.dims) {
      if (certainly_equal(dim, rows_.total)) dim = Dim(kCapacity);
    }
    return fact;
  }

  /// The only axis that has a column for each row; nullopt where there is another open dim, or none.
  std::optional<int> axis_of(ValueId v) const {
    const Fact& fact = graph_.fact(v);
    std::optional<int> axis;
    for (int d = 0; fact.has_rank() && d < fact.rank(); ++d) {
      if (fact.dim(d).known()) continue;
      if (axis || !certainly_equal(fact.dim(d), rows_.total)) return std::nullopt;
      axis = d;
    }
    return axis;
  }
  int from_end(ValueId v) const { return graph_.fact(v).rank() - *axis_of(v); }

  bool add(const Node& node) {
    if (is_op(node, "Shape")) return add_shape(node);
    const bool open = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) { return has_columns(v); });
    const bool reads_open =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return has_columns(v); });
    if (!open && !reads_open) return add_numbers(node);
    for (const std::vector<ValueId>* values : {&node.inputs, &node.outputs}) {
      for (const ValueId v : *values) {
        if (has_columns(v) && (is_state(v) || !axis_of(v))) return false;
      }
    }
    if (node.outputs.size() != 1) return false;
    if (open ? !keeps_columns(node) : !sums_columns(node)) return false;
    return add_form(node, false);
  }

  bool is_shape_input(const Node& node, size_t i) const {
    const std::vector<int> inputs = node.op->value_inputs();
    return std::count(inputs.begin(), inputs.end(), int(i)) > 0;
  }

  /// The node on what its inputs are in the run. Shapes are those of the plan.
  bool add_form(const Node& node, bool numbers) {
    std::vector<ValueId> inputs, planned_inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId v = node.inputs[i];
      if (is_shape_input(node, i) && depends(v) && !is_number(v)) return false;
      planned_inputs.push_back(planned(v));
      inputs.push_back(is_shape_input(node, i) ? planned(v) : now(v));
    }
    const std::vector<ValueId> y = patch_.add_for(node, node.spec, inputs);
    const std::vector<ValueId> p = numbers ? patch_.add_for(node, node.spec, planned_inputs) : y;
    for (size_t i = 0; i < y.size(); ++i) {
      if (y[i] != kNoValue) forms_[node.outputs[i]] = {y[i], p[i], numbers};
    }
    return true;
  }

  /// Of a node whose inputs and outputs have sizes that do not change.
  bool add_numbers(const Node& node) {
    const auto reads = [&](ValueId v) { return depends(v); };
    if (std::none_of(node.inputs.begin(), node.inputs.end(), reads)) return true;
    if (is_op(node, "Range")) return add_range(node);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (is_shape_input(node, i) && depends(node.inputs[i])) return false;
    }
    const bool numbers = std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
      return v == kNoValue || graph_.fact(v).constant || is_number(v);
    });
    return add_form(node, numbers);
  }

  ValueId ints(const Node& node, const char* name, const std::vector<int64_t>& values) {
    return patch_.constant(node.spec.name + name, Tensor::of(values));
  }

  /// Range(start, start + n, 1) of n that does not change.
  bool add_range(const Node& node) {
    if (graph_.fact(node.outputs[0]).dtype != DType::kInt64) return false;
    const auto delta = constant_ints(graph_.fact(node.inputs[2]));
    if (!delta) return false;
    Tensor steps(DType::kInt64, Shape{graph_.fact(node.outputs[0]).dim(0).value()});
    for (int64_t i = 0; i < steps.size(); ++i) steps.data<int64_t>()[i] = i * delta->at(0);
    const ValueId shift = patch_.constant(node.spec.name + ".steps", steps);
    const ValueId y = patch_.add(standard_spec(node, "Add", 7), {now(node.inputs[0]), shift});
    std::vector<ValueId> inputs;
    for (const ValueId v : node.inputs) inputs.push_back(planned(v));
    const bool numbers = std::all_of(node.inputs.begin(), node.inputs.end(),
                                     [&](ValueId v) { return graph_.fact(v).constant || is_number(v); });
    forms_[node.outputs[0]] = {y, patch_.add_for(node, node.spec, inputs)[0], numbers};
    return true;
  }

  /// In the run: base + rows * slope. For the plan: the shape with as many columns as there is room for; of a state,
  /// those that are in use when it is full.
  bool add_shape(const Node& node) {
    const ValueId x = node.inputs[0];
    const int rank = graph_.fact(x).has_rank() ? graph_.fact(x).rank() : 0;
    const int64_t begin = bound(node, "start", 0, rank), end = std::max(begin, bound(node, "end", rank, rank));
    if (is_state(x) ? rank != 4 : !axis_of(x)) return false;
    const int axis = is_state(x) ? 2 : *axis_of(x);
    std::vector<int64_t> base, slope, new_rows;
    for (int64_t d = begin; d < end; ++d) {
      const bool grows = d == axis;
      base.push_back(!grows ? graph_.fact(x).dim(int(d)).value() : is_state(x) ? 0 : rows_.new_rows);
      slope.push_back(grows);
      new_rows.push_back(grows && is_state(x) ? rows_.new_rows : 0);
    }
    const NodeSpec gather = standard_spec(node, "Gather", 13), mul = standard_spec(node, "Mul", 14);
    const ValueId first = patch_.add(gather, {rows_.rows, ints(node, ".first", {0})});
    const ValueId more = patch_.add(mul, {first, ints(node, ".slope", slope)});
    const ValueId y = patch_.add(standard_spec(node, "Add", 14), {more, ints(node, ".base", base)});
    const ValueId shape = patch_.add(node.spec, {planned(x)});
    forms_[node.outputs[0]] = {
        y, patch_.add(standard_spec(node, "Sub", 14), {shape, ints(node, ".new_rows", new_rows)}), true};
    return true;
  }

  static int64_t bound(const Node& node, const char* name, int64_t otherwise, int rank) {
    const int64_t at = node.spec.attr_or(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  }

  /// Whether a column of the output depends on the same column of the inputs alone.
  bool keeps_columns(const Node& node) const {
    const ValueId y = node.outputs[0];
    const int axis = *axis_of(y);
    if (broadcasts(node)) {
      const bool divides = is_op(node, "Mod") || is_op(node, "Div");  // integers by columns without meaning
      return aligned(node) && !(divides && graph_.fact(y).dtype != DType::kFloat32);
    }
    if (is_op(node, "Expand")) return aligned(node);
    if (is_op(node, "Squeeze") || is_op(node, "Unsqueeze") || is_op(node, "Reshape") || is_op(node, "Flatten")) {
      return has_columns(node.inputs[0]) && elements_before(node.inputs[0]) == elements_before(y);
    }
    if (is_op(node, "Concat")) return normalize_axis(node.spec.attr<int64_t>("axis"), graph_.fact(y).rank()) != axis;
    if (is_op(node, "Range")) return graph_.fact(node.inputs[0]).constant && graph_.fact(node.inputs[2]).constant;
    if (is_op(node, "Slice")) return is_whole(node);
    if (is_op(node, "Gather")) return gathers_in_order(node);
    if (is_op(node, "GatherND")) return gathers_columns(node);
    return is_op(node, "ConstantOfShape");
  }

  /// Whether all columns lie at the same axis, counted from the end.
  bool aligned(const Node& node) const {
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](ValueId v) { return !has_columns(v) || from_end(v) == from_end(node.outputs[0]); });
  }

  int64_t elements_before(ValueId v) const {
    int64_t elements = 1;
    for (int d = 0; d < *axis_of(v); ++d) elements = checked_mul(elements, graph_.fact(v).dim(d).value());
    return elements;
  }

  /// A Slice of all that there is.
  bool is_whole(const Node& node) const {
    const ValueId steps = optional_input(node, 4);
    const auto numbers = steps == kNoValue ? std::vector<int64_t>{} : constant_ints(graph_.fact(steps));
    return numbers && std::all_of(numbers->begin(), numbers->end(), [](int64_t step) { return step > 0; }) &&
           same_dims(graph_.fact(node.inputs[0]), graph_.fact(node.outputs[0]));
  }

  /// Gather(data, indices) of columns in their order: along another axis there would be two of columns.
  bool gathers_in_order(const Node& node) const {
    const ValueId data = node.inputs[0], indices = node.inputs[1];
    return has_columns(data) && has_columns(indices) && counts_columns(spread(indices));
  }

  /// GatherND(data, Concat(indices of each axis)), where columns of data are gathered in their order, or a part of it,
  /// and other axes by what columns do not change.
  bool gathers_columns(const Node& node) const {
    const ValueId data = node.inputs[0], indices = node.inputs[1];
    const Node* parts = graph_.producer(indices);
    const bool joined = parts && is_op(*parts, "Concat") && has_columns(indices) &&
                        normalize_axis(parts->spec.attr<int64_t>("axis"), graph_.fact(indices).rank()) ==
                            graph_.fact(indices).rank() - 1;
    if (!joined || node.spec.attr_or("batch_dims", 0) != 0) return false;
    if (has_columns(data) && *axis_of(data) >= int(parts->inputs.size())) return false;
    for (size_t i = 0; i < parts->inputs.size(); ++i) {
      const ValueId part = parts->inputs[i];
      if (!certainly_equal(graph_.fact(part).dim(graph_.fact(part).rank() - 1), 1)) return false;
      const bool of_columns = has_columns(data) && *axis_of(data) == int(i);
      const ValueId source = spread(part);
      if (of_columns ? !counts_columns(source) : has_columns(source) || depends(source)) return false;
    }
    return true;
  }

  /// What a value repeats, or has under another shape.
  ValueId spread(ValueId v) const {
    const Node* node = graph_.producer(v);
    while (node && (is_op(*node, "Unsqueeze") || is_op(*node, "Squeeze") || is_op(*node, "Reshape") ||
                    is_op(*node, "Expand"))) {
      v = node->inputs[0];
      node = graph_.producer(v);
    }
    return v;
  }

  /// 0, 1, 2, ...
  bool counts_columns(ValueId v) const {
    const Node* range = graph_.producer(v);
    return range && is_op(*range, "Range") && has_columns(v) &&
           constant_ints(graph_.fact(range->inputs[0])) == std::vector<int64_t>{0} &&
           constant_ints(graph_.fact(range->inputs[2])) == std::vector<int64_t>{1};
  }

  /// Sums of integers, of an input of the run that has zeros behind the rows in use.
  bool sums_columns(const Node& node) const {
    const DType dtype = graph_.fact(node.outputs[0]).dtype;
    if (!is_op(node, "ReduceSum") || (dtype != DType::kInt64 && dtype != DType::kInt32)) return false;
    ValueId x = node.inputs[0];
    for (const Node* cast = graph_.producer(x); cast && is_op(*cast, "Cast"); cast = graph_.producer(x)) {
      x = cast->inputs[0];
    }
    return graph_.is_input(x);
  }

  const Graph& graph_;
  const StateRows& rows_;
  Patch patch_;
  std::map<ValueId, Form> forms_;
};

}  // namespace

std::optional<Graph> compute_columns(const Graph& graph, const std::vector<NodeId>& nodes,
                                     const StateRows& state_rows) {
  return Columns(graph, state_rows).apply(nodes);
}

}  // namespace linnet
