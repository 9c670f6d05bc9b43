#include "attention/attention_prefix.h"

#include <algorithm>

#include "attention/attention_scores.h"
#include "infer/prefix_rules.h"
#include "registration.h"

namespace linnet {
namespace {

using Slots = AttentionSlots;

class AttentionPrefix {
 public:
  explicit AttentionPrefix(PrefixGraph& graph) : graph_(graph), node_(graph.node()) {
    for (const ValueId v : node_.inputs) inputs_.push_back(has_room(v) ? kNoValue : graph.now(v));
    inputs_.resize(std::max<size_t>(inputs_.size(), Slots::kQueryPositions + 1), kNoValue);
  }

  bool add() {
    const bool grows =
        has_past() ? join(Slots::kK, Slots::kPastKey) && join(Slots::kV, Slots::kPastValue) : read_keys();
    if (!grows || gives(Slots::kScores) || !others_fit()) return false;
    if (!has_past() && (gives(Slots::kPresentKey) || gives(Slots::kPresentValue))) return false;
    if (inputs_[Slots::kKeyCounts] == kNoValue) {
      inputs_[Slots::kKeyCounts] = of_each_sample(keys_);
      // If counts are given, queries are the last rows; here they are after the past.
      ValueId& positions = inputs_[Slots::kQueryPositions];
      if (positions == kNoValue) positions = of_each_sample(past_);
    }
    NodeSpec spec = node_.spec;
    spec.domain = kInternalDomain;
    graph_.give(Slots::kY, graph_.add(std::move(spec), inputs_));
    return true;
  }

 private:
  bool has_room(ValueId v) const { return v != kNoValue && !graph_.graph().fact(v).concrete(); }
  bool given(int input) const { return graph_.input(input).present(); }
  bool gives(int output) const {
    return output < int(node_.outputs.size()) && node_.outputs[size_t(output)] != kNoValue;
  }
  bool has_past() const { return given(Slots::kPastKey); }
  ValueId of_each_sample(const Dim& dim) {
    const int64_t batch = graph_.input(Slots::kQ).dim(0).value();
    return graph_.numbers(Dims(size_t(batch), dim), Shape{batch});
  }

  /// Reads keys and values with room; returns false if there is no room.
  bool read_keys() {
    const Fact &k = graph_.input(Slots::kK), &v = graph_.input(Slots::kV);
    const int axis = k.rank() - 2;
    if (graph_.input_axis(Slots::kK) != axis || graph_.input_axis(Slots::kV) != axis) return false;
    keys_ = k.dim(axis);
    if (!certainly_equal(keys_, v.dim(axis))) return false;
    inputs_[Slots::kK] = graph_.now(node_.inputs[Slots::kK]);
    inputs_[Slots::kV] = graph_.now(node_.inputs[Slots::kV]);
    return true;
  }

  /// Writes new rows, [batch, heads, rows, size], after the past; the result replaces the past.
  bool join(int now, int before) {
    const Fact& past = graph_.input(before);
    if (graph_.input_axis(before) != 2 || !graph_.input(now).concrete()) return false;
    past_ = past.dim(2);
    keys_ = past_ + graph_.input(now).dim(graph_.input(now).rank() == 3 ? 1 : 2);
    NodeSpec spec = node_.spec;
    spec.op_type = "WriteRows";
    spec.domain = kInternalDomain;
    spec.attributes = {{"axis", int64_t{2}}};
    const ValueId rows = with_heads(now, past.dim(1).value());
    const ValueId begin = graph_.numbers({past_}, Shape{});
    inputs_[size_t(now)] = graph_.add(spec, {graph_.now(node_.inputs[size_t(before)]), rows, begin});
    inputs_[size_t(before)] = kNoValue;
    graph_.give(before == Slots::kPastKey ? Slots::kPresentKey : Slots::kPresentValue, inputs_[size_t(now)]);
    return true;
  }

  ValueId with_heads(int input, int64_t heads) {
    const Fact& x = graph_.input(input);
    const ValueId v = graph_.now(node_.inputs[size_t(input)]);
    if (x.rank() == 4) return v;
    const std::vector<int64_t> shape{x.dim(0).value(), x.dim(1).value(), heads, x.dim(2).value() / heads};
    NodeSpec reshape = node_.spec, transpose = node_.spec;
    reshape.op_type = "Reshape";
    transpose.op_type = "Transpose";
    reshape.domain = transpose.domain = "";
    reshape.opset = transpose.opset = 13;
    reshape.attributes.clear();
    transpose.attributes = {{"perm", std::vector<int64_t>{0, 2, 1, 3}}};
    const ValueId divided =
        graph_.add(std::move(reshape), {v, graph_.constant(node_.spec.name + ".heads", Tensor::of(shape))});
    return graph_.add(std::move(transpose), {divided});
  }

  /// Whether a mask, if it grows, has a column for each key, and no other input grows.
  bool others_fit() {
    for (int i = 0; i < int(node_.inputs.size()); ++i) {
      const Fact& fact = graph_.input(i);
      const bool joined = i == Slots::kK || i == Slots::kV || i == Slots::kPastKey || i == Slots::kPastValue;
      if (joined || !fact.present()) continue;
      if (i == Slots::kMask && graph_.input_axis(i) == fact.rank() - 1 && graph_.input_axis(i) >= 0 &&
          certainly_equal(fact.dims->back(), keys_)) {
        inputs_[Slots::kMask] = graph_.now(node_.inputs[Slots::kMask]);
      } else if (i == Slots::kMask || !fact.concrete()) {
        return false;
      }
    }
    return true;
  }

  PrefixGraph& graph_;
  const Node& node_;
  std::vector<ValueId> inputs_;  // of the new node
  Dim keys_, past_ = 0;          // rows in use
};

}  // namespace

bool attention_prefix(Prefix& prefix) { return AttentionPrefix(prefix_graph(prefix)).add(); }

}  // namespace linnet
