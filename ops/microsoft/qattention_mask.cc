#include "microsoft/qattention_mask.h"

#include "infer/infer.h"

namespace linnet {
namespace {

class MaskWriter {
 public:
  MaskWriter(Expansion& graph, const AttentionMaskRule& rule)
      : graph_(graph), rule_(rule), fact_(graph.fact(rule.mask)) {}

  ValueId write() {
    require_dtype(fact_, DType::kInt32, "mask_index");
    if (!fact_.has_rank() || !graph_.fact(rule_.input).has_rank()) return waiting();
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
        throw Error(ErrorKind::kShape, str("mask_index must have rank 1 to 4, got ", fact_));
    }
  }

 private:
  ValueId waiting() {
    graph_.wait();
    return kNoValue;
  }

  /// How many keys there are.
  ValueId keys() {
    const ValueId length = graph_.dim(rule_.input, 1);
    return rule_.past == kNoValue ? length : graph_.sum(graph_.dim(rule_.past, 3), length);
  }

  ValueId unsqueezed(ValueId x, const std::vector<int64_t>& axes) {
    return graph_.op("Unsqueeze", {x, graph_.ints(axes)});
  }

  ValueId zero() { return graph_.constant(Tensor::scalar<int32_t>(0)); }

  /// Positive elements, with dims of 1 inserted to have rank 4.
  ValueId allowed(const std::vector<int64_t>& axes) {
    return unsqueezed(graph_.op("Greater", {rule_.mask, zero()}), axes);
  }

  ValueId chosen(ValueId is_allowed) {
    return graph_.op("Where", {is_allowed, graph_.scalar(0), graph_.scalar(rule_.disallowed)});
  }

  bool is_same_for_all() {
    const Dim& keys = fact_.dim(1);
    if (!keys.known()) graph_.wait();
    return keys == Dim(1);
  }

  ValueId from_ends() {
    const Dim &length = fact_.dim(0), &batch = graph_.fact(rule_.input).dim(0);
    const bool is_batch = length == batch;
    if (!is_batch && (!length.known() || !batch.known())) return waiting();
    if (!is_batch && length.value() != checked_mul(2, batch.value())) {
      throw Error(ErrorKind::kShape, str("mask_index must have ", batch, " or twice as many elements, got ", fact_));
    }
    const ValueId at = graph_.cast(graph_.range(keys()), DType::kInt32);
    if (is_batch) return chosen(graph_.op("Less", {at, unsqueezed(rule_.mask, {1, 2, 3})}));
    const std::vector<ValueId> bounds = graph_.op("Split", {rule_.mask}, 2, {{"num_outputs", int64_t{2}}});
    const ValueId before_end = graph_.op("Less", {at, unsqueezed(bounds[0], {1, 2, 3})});
    const ValueId from_start = graph_.op("GreaterOrEqual", {at, unsqueezed(bounds[1], {1, 2, 3})});
    return chosen(graph_.op("And", {before_end, from_start}));
  }

  /// The rows of the queries' positions, the columns of the keys.
  ValueId part() {
    const ValueId count = keys();
    const Tensor& known = graph_.fact(count).constant;
    for (const int i : {2, 3}) {
      if (known && fact_.dim(i).known() && fact_.dim(i).value() < *known.data<int64_t>()) {
        throw Error(ErrorKind::kShape,
                    str("mask_index must have room for ", *known.data<int64_t>(), " keys, got ", fact_));
      }
    }
    const ValueId positive = graph_.op("Greater", {rule_.mask, zero()}), columns = graph_.range(count);
    ValueId rows = graph_.range(graph_.dim(rule_.input, 1));
    if (rule_.past != kNoValue) rows = graph_.op("Add", {rows, graph_.dim(rule_.past, 3)});
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
