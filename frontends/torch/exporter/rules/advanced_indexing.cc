#include <algorithm>

#include "building_blocks.h"
#include "rule_list.h"

// Tensors and masks as indices: x[i], x[:, i, j], x[mask], and assignments to them.
// Source: https://numpy.org/doc/stable/user/basics.indexing.html#advanced-indexing
namespace linnet::exporter {
namespace {

/// Indices along some axes of a tensor, int64, which are broadcast. `rank` is the rank after broadcasting.
struct Indices {
  Integers axes;
  Names values;
  Integers ranks;
  int64_t rank = 0;

  void add(int64_t axis, const std::string& value, int64_t value_rank) {
    axes.push_back(axis);
    values.push_back(value);
    ranks.push_back(value_rank);
    rank = std::max(rank, value_rank);
  }
  /// Whether the axes are adjacent.
  bool adjacent() const { return axes.back() - axes.front() + 1 == int64_t(axes.size()); }
};

bool is_mask(const TensorInfo& tensor) { return tensor.dtype == DType::kBool || tensor.dtype == DType::kUint8; }

/// Returns the indices of a call. A mask becomes one list of positions, where it is set, for each of its axes.
Indices indices_of(Call& call) {
  Indices result;
  const List<TensorInfo> tensors = call.tensors("indices");
  const Names values = call.values("indices");
  int64_t axis = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (values[i].empty()) {
      ++axis;
    } else if (is_mask(tensors[i])) {
      const std::string positions = call.emit("NonZero", {values[i]});
      for (int64_t k = 0; k < tensors[i].dim(); ++k) {
        const std::string row = integer_of(call, k);
        result.add(axis++, call.emit("Gather", {positions, row}, {{"axis", 0}}), 1);
      }
    } else {
      result.add(axis++, call.cast(values[i], DType::kInt64), tensors[i].dim());
    }
  }
  if (result.axes.empty()) call.refuse("it has no index");
  return result;
}

/// Returns the indices with one row for each element: [..., axes].
std::string stacked(Call& call, const Indices& indices) {
  std::string sum = indices.values[0];
  for (size_t i = 1; i < indices.values.size(); ++i) sum = call.emit("Add", {sum, indices.values[i]});
  const std::string shape = call.emit("Shape", {sum});
  Names columns;
  for (const std::string& value : indices.values) {
    const std::string wide = indices.values.size() == 1 ? value : call.emit("Expand", {value, shape});
    columns.push_back(change_axes(call, "Unsqueeze", wide, {indices.rank}));
  }
  return columns.size() == 1 ? columns[0] : call.emit("Concat", columns, {{"axis", indices.rank}});
}

/// Returns the order of axes with the indexed ones first.
Integers indexed_first(const Indices& indices, int64_t rank) {
  Integers order = indices.axes;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (std::find(indices.axes.begin(), indices.axes.end(), axis) == indices.axes.end()) order.push_back(axis);
  }
  return order;
}

/// Returns the order of the result's axes. Those of the indices replace the indexed axes if these are adjacent;
/// otherwise they come first.
Integers result_order(const Indices& indices, int64_t rank) {
  const int64_t front = indices.adjacent() ? indices.axes.front() : 0;
  const int64_t rest = rank - int64_t(indices.axes.size());
  Integers order;
  for (int64_t i = 0; i < front; ++i) order.push_back(indices.rank + i);
  for (int64_t i = 0; i < indices.rank; ++i) order.push_back(i);
  for (int64_t i = front; i < rest; ++i) order.push_back(indices.rank + i);
  return order;
}

void index(Call& call) {
  const Indices indices = indices_of(call);
  const int64_t rank = call.tensor().dim();
  for (const TensorInfo& tensor : call.tensors("indices")) {
    if (tensor.defined() && is_mask(tensor) && !call.constant("indices")) call.decided_by_contents();
  }
  if (indices.axes.size() == 1) {
    return call.set(call.emit("Gather", {call.value(), indices.values[0]}, {{"axis", indices.axes[0]}}));
  }
  const std::string x = transposed(call, call.value(), indexed_first(indices, rank));
  const std::string y = call.emit("GatherND", {x, stacked(call, indices)});
  call.set(transposed(call, y, result_order(indices, rank)));
}

/// Returns the sizes [begin, end) of a value's axes.
std::string sizes_of(Call& call, const std::string& x, int64_t begin, int64_t end) {
  return slice(call, call.emit("Shape", {x}), 0, begin, end);
}

/// With one mask and one value no positions are needed: emits a choice between two tensors.
bool put_by_mask(Call& call) {
  const List<TensorInfo> masks = call.tensors("indices");
  const bool single =
      call.tensor("values").dim() == 0 || (call.constant("values") && call.tensor("values").numel() == 1);
  if (masks.size() != 1 || !is_mask(masks[0]) || !single) return false;
  const DType dtype = call.dtype();
  std::string mask = call.cast(call.values("indices")[0], DType::kBool);
  const int64_t rank = call.tensor().dim();
  const Integers axes = part_of(order_of(rank), masks[0].dim(), rank);
  if (!axes.empty()) mask = change_axes(call, "Unsqueeze", mask, axes);
  std::string value = call.emit("Reshape", {call.value("values", dtype), call.constant_of(Integers{})});
  if (call.flag("accumulate")) value = call.emit("Add", {call.value(), value});
  call.set(call.emit("Where", {mask, value, call.value()}));
  return true;
}

/// Moves the indexed axes to the front, writes rows there, and moves the axes back.
void index_put(Call& call) {
  if (put_by_mask(call)) return;
  const Indices indices = indices_of(call);
  const int64_t rank = call.tensor().dim(), count = int64_t(indices.axes.size());
  const Integers first = indexed_first(indices, rank), order = result_order(indices, rank);
  const std::string x = transposed(call, call.value(), first), positions = stacked(call, indices);
  const std::string rest = sizes_of(call, x, count, rank), wide = sizes_of(call, positions, 0, indices.rank);
  const std::string shape = call.emit("Concat", {wide, rest}, {{"axis", 0}});
  const std::string written =
      call.emit("Expand", {call.value("values", call.dtype()), call.emit("Gather", {shape, call.constant_of(order)})});
  Attributes attributes;
  if (call.flag("accumulate")) {
    call.require_opset(16, "accumulation");
    attributes["reduction"] = std::string("add");
  }
  const std::string y = call.emit("ScatterND", {x, positions, transposed(call, written, inverse(order))}, attributes);
  call.set(transposed(call, y, inverse(first)));
}

/// Returns the elements where the mask is set, in order.
void masked_select(Call& call) {
  if (!call.constant("mask")) call.decided_by_contents();
  const std::string x = call.emit("Expand", {call.value(), call.emit("Shape", {call.value("mask")})});
  const std::string mask = call.emit("Expand", {call.value("mask", DType::kBool), call.emit("Shape", {call.value()})});
  call.set(call.emit("Compress", {flattened(call, x), flattened(call, mask)}));
}

/// Writes elements of `source`, in order, where the mask is set.
void masked_scatter(Call& call) {
  if (call.result().dim() == 0) {
    const std::string first = slice(call, flattened(call, call.value("source")), 0, 0, 1);
    const std::string source = call.emit("Reshape", {first, call.constant_of(Integers{})});
    return call.set(call.emit("Where", {call.value("mask", DType::kBool), source, call.value()}));
  }
  const std::string mask = call.emit("Expand", {call.value("mask", DType::kBool), call.emit("Shape", {call.value()})});
  const std::string positions = call.emit("Transpose", {call.emit("NonZero", {mask})});
  const std::string count = sizes_of(call, positions, 0, 1);
  const std::string source = call.emit("Slice", {flattened(call, call.value("source")), call.constant_of({0}), count});
  call.set(call.emit("ScatterND", {call.value(), positions, source}));
}

/// Returns the positions of elements other than 0, one row for each.
void nonzero(Call& call) {
  call.decided_by_contents();
  if (call.tensor().dim() == 0) call.refuse("a tensor without axes is not covered");
  call.set(call.emit("Transpose", {call.emit("NonZero", {call.value()})}));
}

/// Returns the positions of elements other than 0, one list for each axis.
Lowering nonzero_lists(const std::string& argument) {
  return [argument](Call& call) {
    call.decided_by_contents();
    const std::string positions = call.emit("NonZero", {call.value(argument)});
    Names lists;
    for (int64_t axis = 0; axis < call.tensor(argument).dim(); ++axis) {
      const std::string row = integer_of(call, axis);
      lists.push_back(call.emit("Gather", {positions, row}, {{"axis", 0}}));
    }
    call.set_list(lists);
  };
}

}  // namespace

void register_advanced_indexing(Lowerings& lowerings) {
  lowerings.add({"aten::index.Tensor", "aten::index.Tensor_hacked_twin"}, index);
  lowerings.add({"aten::index_put", "aten::index_put.hacked_twin"}, index_put);
  lowerings.add("aten::masked_select", masked_select);
  lowerings.add("aten::masked_scatter", masked_scatter);
  lowerings.add({"aten::nonzero", "aten::argwhere"}, nonzero);
  lowerings.add("aten::nonzero_numpy", nonzero_lists("self"));
  lowerings.add("aten::where", nonzero_lists("condition"));
}

}  // namespace linnet::exporter
