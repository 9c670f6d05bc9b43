#include "rewrites/lower_precision.h"

#include <algorithm>
#include <map>
#include <set>

#include "gemm/product_types.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

constexpr int64_t kManyElements = 4096;

int float_bits(DType dtype) { return is_floating(dtype) ? dtype_bits(dtype) : 0; }

/// Visits the nodes in order and collects the changes.
class PrecisionLowering {
 public:
  PrecisionLowering(const Graph& graph, bool rewrites) : graph_(graph), keeps_weights_(rewrites), patch_(graph) {}

  std::optional<Patch> patch() {
    for (const NodeId id : graph_.nodes()) visit(graph_.node(id));
    for (const auto& [value, wide] : computed_) {
      if (read_as_it_is(value)) {
        patch_.replace(value, cast(*graph_.producer(value), value, wide, graph_.fact(value).dtype));
      } else {
        patch_.rename(wide, graph_.value(value).name);
      }
    }
    return changed_.empty() ? std::nullopt : std::optional(std::move(patch_));
  }

 private:
  void visit(const Node& node) {
    const std::vector<Fact> in = input_facts(graph_, node);
    DType dtype = compute_dtype(node, in, output_facts(graph_, node));
    if (dtype == DType::kUndefined && goes_with_inputs(node, in)) dtype = DType::kFloat32;
    if (dtype != DType::kUndefined) return lower(node, in, dtype);
    if (is_op(node, "Cast") && graph_.fact(node.outputs[0]).dtype == DType::kFloat32) widen(node);
  }

  /// Widens the input of a Cast to float32 that is in the model. The Cast reads the rounded value, as the model
  /// specifies, even if there is a wider one.
  void widen(const Node& node) {
    const ValueId x = node.inputs[0];
    if (!is_widened_type(graph_.fact(x).dtype) || !may_be_weights(graph_.fact(x))) return;
    patch_.replace(node.outputs[0], widened(node, x, DType::kFloat32));
    changed_.insert(node.id);
  }

  /// Whether a node that accepts any dtype can read wide values or constants instead of all its float16 and bfloat16
  /// inputs.
  bool goes_with_inputs(const Node& node, std::span<const Fact> in) const {
    const auto wide = [&](ValueId v) { return computed_.contains(v); };
    const auto fits = [&](ValueId v) { return !is_half(graph_.fact(v).dtype) || wide(v) || graph_.fact(v).constant; };
    return std::any_of(node.inputs.begin(), node.inputs.end(), wide) &&
           std::all_of(node.inputs.begin(), node.inputs.end(), fits) && node.op->computes_in(in) == Precision::kAny;
  }

  void lower(const Node& node, std::vector<Fact> in, DType dtype) {
    std::vector<ValueId> inputs = node.inputs;
    for (size_t i = 0; i < in.size(); ++i) {
      const int bits = float_bits(in[i].dtype);
      if (bits < 16 || bits >= dtype_bits(dtype)) continue;
      inputs[i] = widened(node, node.inputs[i], dtype);
      in[i] = Fact(dtype, in[i].dims);
    }
    const std::vector<Fact> out = infer_node(node, in);
    const std::vector<ValueId> outputs = patch_.add_for(node, node.spec, inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] != kNoValue) give(node, node.outputs[i], outputs[i], out[i].dtype);
    }
    changed_.insert(node.id);
  }

  /// Makes a new value of this dtype replace an old one.
  void give(const Node& node, ValueId old_value, ValueId value, DType dtype) {
    const DType old_dtype = graph_.fact(old_value).dtype;
    if (dtype == old_dtype) return patch_.replace(old_value, value);
    if (dtype != DType::kFloat32) return patch_.replace(old_value, cast(node, old_value, value, old_dtype));
    computed_[old_value] = value;
  }

  ValueId widened(const Node& node, ValueId value, DType dtype) {
    const auto found = computed_.find(value);
    const ValueId from = found == computed_.end() ? value : found->second;
    if (from != value && dtype == DType::kFloat32) return from;
    const auto [known, is_new] = casts_.try_emplace({from, dtype}, kNoValue);
    if (is_new) known->second = cast(node, value, from, dtype);
    return known->second;
  }

  /// Adds a Cast of `from` to another dtype, named after a value and placed next to the node.
  ValueId cast(const Node& node, ValueId named_after, ValueId from, DType dtype) {
    NodeSpec spec = standard_spec(node, "Cast", 13);
    if (from == named_after && may_be_weights(graph_.fact(from))) spec.domain = kInternalDomain;
    spec.name = graph_.value(named_after).name;
    spec.attributes["to"] = int64_t(dtype);
    return patch_.add(std::move(spec), {from});
  }

  /// Whether a constant is so large that it is widened only after all rewrites had a chance to use it unchanged.
  bool may_be_weights(const Fact& fact) const {
    return keeps_weights_ && fact.constant && fact.rank() >= 2 && fact.constant.size() >= kManyElements;
  }

  bool read_as_it_is(ValueId value) const {
    const std::vector<NodeId>& readers = graph_.consumers(value);
    return graph_.is_output(value) ||
           std::any_of(readers.begin(), readers.end(), [&](NodeId id) { return !changed_.contains(id); });
  }

  const Graph& graph_;
  bool keeps_weights_;
  Patch patch_;
  std::set<NodeId> changed_;
  std::map<ValueId, ValueId> computed_;                 // values of 16 bits that also exist in float32
  std::map<std::pair<ValueId, DType>, ValueId> casts_;  // widened values
};

}  // namespace

std::optional<Patch> lower_precision(const Graph& graph, bool rewrites) {
  return PrecisionLowering(graph, rewrites).patch();
}

}  // namespace linnet
