#include "microsoft/attention_mask.h"

#include "infer/infer.h"

namespace linnet {
namespace {

class MaskWriter {
 public:
  MaskWriter(Expansion& graph, const AttentionMaskRule& rule)
      : graph_(graph), rule_(rule), fact_(graph.fact(rule.mask)) {}

  ValueId write() {
    require_dtype(fact_, DType::kInt32, rule_.name);
    if (!fact_.has_rank() || !graph_.fact(rule_.queries).has_rank()) return waiting();
    switch (fact_.rank()) {
      case 1:
        return from_ends();
      case 2:
        return is_same_for_all() ? kNoValue : chosen(allowed({1, 2}));
      case 3:
        return chosen(allowed({1}));
      case 4:
        return chosen(part());
      default:
        throw Error(ErrorKind::kShape, str(rule_.name, " must have rank 1 to 4, got ", fact_));
    }
  }

 private:
  ValueId waiting() {
    graph_.wait();
    return kNoValue;
  }

  ValueId unsqueezed(ValueId x, const std::vector<int64_t>& axes) {
    return graph_.op("Unsqueeze", {x, graph_.ints(axes)});
  }

  ValueId zero() { return graph_.constant(Tensor::scalar<int32_t>(0)); }

  /// Whether elements are positive, with dims of 1 inserted for rank 4.
  ValueId allowed(const std::vector<int64_t>& axes) {
    return unsqueezed(graph_.op("Greater", {rule_.mask, zero()}), axes);
  }

  ValueId chosen(ValueId is_allowed) {
    return graph_.op("Where", {is_allowed, graph_.scalar(0), graph_.scalar(rule_.disallowed)});
  }

  bool is_same_for_all() {
    const Dim& keys = fact_.dim(1);
    if (!keys.known()) graph_.wait();
    return certainly_equal(keys, 1);
  }

  ValueId from_ends() {
    const Dim &length = fact_.dim(0), &batch = graph_.fact(rule_.queries).dim(0);
    const bool is_batch = certainly_equal(length, batch);
    if (!is_batch && (!length.known() || !batch.known())) return waiting();
    const bool has_starts = !is_batch && length.value() == checked_mul(2, batch.value());
    if (!is_batch && !has_starts && length.value() != checked_add(checked_mul(3, batch.value()), 2)) {
      throw Error(ErrorKind::kShape, str(rule_.name, " must have ", batch,
                                         " elements, twice as many, or three times as ", "many and two, got ", fact_));
    }
    const ValueId at = graph_.cast(graph_.range(rule_.keys), DType::kInt32);
    if (!has_starts) return chosen(graph_.op("Less", {at, unsqueezed(ends(is_batch), {1, 2, 3})}));
    const std::vector<ValueId> bounds = graph_.op("Split", {rule_.mask}, 2, {{"num_outputs", int64_t{2}}});
    const ValueId before_end = graph_.op("Less", {at, unsqueezed(bounds[0], {1, 2, 3})});
    const ValueId from_start = graph_.op("GreaterOrEqual", {at, unsqueezed(bounds[1], {1, 2, 3})});
    return chosen(graph_.op("And", {before_end, from_start}));
  }

  ValueId ends(bool is_all) {
    if (is_all) return rule_.mask;
    return graph_.op("Slice", {rule_.mask, graph_.ints({0}), graph_.dim(rule_.queries, 0)});
  }

  /// Selects the rows of the queries' positions and the columns of the keys.
  ValueId part() {
    const Tensor& known = graph_.fact(rule_.keys).constant;
    for (const int i : {2, 3}) {
      if (known && fact_.dim(i).known() && fact_.dim(i).value() < *known.data<int64_t>()) {
        throw Error(ErrorKind::kShape,
                    str(rule_.name, " must have room for ", *known.data<int64_t>(), " keys, got ", fact_));
      }
    }
    const ValueId positive = graph_.op("Greater", {rule_.mask, zero()}), columns = graph_.range(rule_.keys);
    const ValueId rows = graph_.op("Add", {graph_.range(graph_.dim(rule_.queries, 1)), rule_.past});
    const ValueId of_queries = graph_.op("Gather", {positive, rows}, {{"axis", int64_t{2}}});
    return graph_.op("Gather", {of_queries, columns}, {{"axis", int64_t{3}}});
  }

  Expansion& graph_;
  const AttentionMaskRule& rule_;
  const Fact fact_;
};

}  // namespace

ValueId attention_mask(Expansion& graph, const AttentionMaskRule& rule) { return MaskWriter(graph, rule).write(); }

}  // namespace linnet
