#include <cmath>

#include "building_blocks.h"
#include "rule_list.h"

// Orders along an axis: sorting, the k largest, medians, distinct elements, positions among sorted boundaries.
namespace linnet::exporter {
namespace {

/// Returns a dtype that ONNX can sort: int32 for bool.
DType ordered(DType dtype) { return dtype == DType::kBool ? DType::kInt32 : dtype; }

/// Returns the first `count` values in order and their positions. The sort is stable.
Names top(Call& call, const std::string& x, const std::string& count, int64_t axis, bool largest) {
  const Attributes attributes{{"axis", axis}, {"largest", int64_t(largest)}, {"sorted", 1}};
  return call.emit_many("TopK", {x, count}, attributes, 2);
}

/// Returns values and positions for a self of rank 0.
Names alone(Call& call) { return {call.value(), call.scalar(0, DType::kInt64)}; }

/// Sorts all elements of an axis.
Names sorted(Call& call, int64_t axis, bool descending) {
  if (call.tensor().dim() == 0) return alone(call);
  const DType dtype = call.tensor().dtype;
  Names y = top(call, call.value("self", ordered(dtype)), call.size("self", axis), axis, descending);
  return {dtype == DType::kBool ? call.cast(y[0], dtype) : y[0], y[1]};
}

void set_both(Call& call, const Names& y) {
  call.set_result(0, y[0]);
  call.set_result(1, y[1]);
}

void sort(Call& call) { set_both(call, sorted(call, call.axis(), call.flag("descending"))); }
void argsort(Call& call) { call.set(sorted(call, call.axis(), call.flag("descending"))[1]); }
void msort(Call& call) { call.set(sorted(call, 0, false)[0]); }

void topk(Call& call) {
  if (call.tensor().dim() == 0) return set_both(call, alone(call));
  set_both(call, top(call, call.value(), call.shape("k"), call.axis(), call.flag("largest")));
}

/// Returns the k-th smallest element along an axis, k from 1 on.
Names kth(Call& call, const std::string& x, int64_t k, int64_t axis, bool keep) {
  Names y = top(call, x, call.constant_of({k}), axis, false);
  for (std::string& part : y) {
    part = slice(call, part, axis, k - 1, k);
    if (!keep) part = change_axes(call, "Squeeze", part, {axis});
  }
  return y;
}

void kthvalue(Call& call) {
  if (call.tensor().dim() == 0) return set_both(call, alone(call));
  set_both(call, kth(call, call.value(), call.positive("k"), call.axis(), call.flag("keepdim")));
}

/// Returns the median: the lower middle one of an even number of elements, or the first NaN if there is one.
Names middle_of(Call& call, const std::string& x, int64_t count, int64_t axis, bool keep) {
  Names middle = kth(call, x, (count + 1) / 2, axis, keep);
  if (!is_floating(call.dtype())) return middle;
  const std::string numbers = call.cast(call.emit("IsNaN", {x}), DType::kFloat32);
  const std::string any = call.cast(reduce(call, "ReduceMax", numbers, {axis}, keep), DType::kBool);
  const std::string first = call.emit("ArgMax", {numbers}, {{"axis", axis}, {"keepdims", int64_t(keep)}});
  middle[0] = call.emit("Where", {any, call.scalar(NAN, call.dtype()), middle[0]});
  middle[1] = call.emit("Where", {any, first, middle[1]});
  return middle;
}

void median_along(Call& call) {
  if (call.tensor().dim() == 0) return set_both(call, alone(call));
  const int64_t axis = call.axis();
  set_both(call, middle_of(call, call.value(), call.tensor().size(axis), axis, call.flag("keepdim")));
}

/// The median of no elements is NaN.
void median(Call& call) {
  if (call.tensor().numel() == 0) return call.set(call.scalar(NAN, call.dtype()));
  call.set(middle_of(call, flattened(call, call.value()), call.tensor().numel(), 0, false)[0]);
}

/// Emits the distinct elements in order, the index of each element among them, and their counts.
void emit_unique(Call& call, const Attributes& attributes, bool inverse, bool counts) {
  call.decided_by_contents();
  const Names y = call.emit_many("Unique", {call.value()}, attributes, 4);
  call.set_result(0, y[0]);
  if (inverse) {
    const bool flat = !attributes.contains("axis");
    call.set_result(1, flat ? call.emit("Reshape", {y[2], call.emit("Shape", {call.value()})}) : y[2]);
  }
  if (counts) call.set_result(2, y[3]);
}

void unique(Call& call) {
  emit_unique(call, {{"sorted", 1}}, call.flag("return_inverse"),
              call.has("return_counts") && call.flag("return_counts"));
}

void unique_along(Call& call) {
  const Attributes attributes{{"sorted", 1}, {"axis", call.axis()}};
  emit_unique(call, attributes, call.flag("return_inverse"), call.flag("return_counts"));
}

/// Emits the number of boundaries below each element or, with `right`, not above it. NaN is above all numbers.
void count_boundaries(Call& call, const std::string& boundaries, const std::string& elements, bool right) {
  const std::string behind = call.emit(right ? "Greater" : "GreaterOrEqual", {boundaries, elements});
  const std::string before = call.emit("Not", {behind});
  const std::string count = reduce(call, "ReduceSum", call.cast(before, DType::kInt64), {-1}, false);
  call.set(call.cast(count, call.dtype()));
}

/// Returns the elements, a tensor or number, with a last axis for the boundaries.
std::string wide_elements(Call& call, DType dtype) {
  const std::string x = call.value("self", dtype);
  return change_axes(call, "Unsqueeze", x, {call.result().dim()});
}

void bucketize(Call& call) {
  const DType dtype = call.promoted({"self", "boundaries"});
  count_boundaries(call, call.value("boundaries", dtype), wide_elements(call, dtype), call.flag("right"));
}

/// The boundaries are one list, or one list for each row of elements.
void searchsorted(Call& call) {
  if (call.has("sorter")) call.refuse("a sorter is not covered");
  const DType dtype = call.promoted({"self", "sorted_sequence"});
  const int64_t rank = call.tensor("sorted_sequence").dim();
  std::string boundaries = call.value("sorted_sequence", dtype);
  if (rank > 1) boundaries = change_axes(call, "Unsqueeze", boundaries, {rank - 1});
  const bool right = call.flag("right") || (call.has("side") && call.text("side") == "right");
  count_boundaries(call, boundaries, wide_elements(call, dtype), right);
}

}  // namespace

void register_sorting(Lowerings& lowerings) {
  lowerings.add({"aten::sort", "aten::sort.stable"}, sort);
  lowerings.add({"aten::argsort", "aten::argsort.stable"}, argsort);
  lowerings.add("aten::msort", msort);
  lowerings.add("aten::topk", topk);
  lowerings.add("aten::kthvalue", kthvalue);
  lowerings.add("aten::median.dim", median_along);
  lowerings.add("aten::median", median);
  lowerings.add({"aten::_unique", "aten::_unique2"}, unique);
  lowerings.add("aten::unique_dim", unique_along);
  lowerings.add({"aten::bucketize.Tensor", "aten::bucketize.Scalar"}, bucketize);
  lowerings.add({"aten::searchsorted.Tensor", "aten::searchsorted.Scalar"}, searchsorted);
}

}  // namespace linnet::exporter
