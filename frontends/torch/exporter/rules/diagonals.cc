#include <algorithm>

#include "building_blocks.h"
#include "rule_list.h"

// Triangles and diagonals of matrices.
namespace linnet::exporter {
namespace {

Lowering triangle(int64_t upper) {
  return [upper](Call& call) {
    if (call.tensor().dim() < 2) return call.set(call.value());  // PyTorch accepts this if it is empty
    call.require_opset(14, "Trilu");
    const std::string offset = integer_of(call, call.integer("diagonal"));
    call.set(call.emit("Trilu", {call.value(), offset}, {{"upper", upper}}));
  };
}

/// Returns the order that moves axes a and b to the end.
Integers two_last(int64_t rank, int64_t a, int64_t b) {
  Integers order = order_of(rank);
  std::erase_if(order, [&](int64_t axis) { return axis == a || axis == b; });
  order.insert(order.end(), {a, b});
  return order;
}

/// Makes the diagonal of the matrix in axes a and b the last axis.
void emit_diagonal(Call& call, const std::string& name, int64_t offset, int64_t a, int64_t b) {
  const TensorInfo& x = call.tensor(name);
  if (x.numel() == 0 && !call.result_is_dynamic()) return call.set(reshaped_to_result(call, call.value(name)));
  const int64_t columns = x.size(b), length = call.result().size(x.dim() - 2);
  const int64_t begin = offset < 0 ? checked_mul(offset, -columns) : offset;
  const std::string turned = transposed(call, call.value(name), two_last(x.dim(), a, b));
  const std::string outer = slice(call, call.emit("Shape", {turned}), 0, 0, x.dim() - 2);
  const std::string sizes =
      call.emit("Concat", {outer, call.constant_of({checked_mul(x.size(a), columns)})}, {{"axis", 0}});
  const Attributes exact = call.options().opset >= 14 ? Attributes{{"allowzero", 1}} : Attributes{};
  const std::string rows = call.emit("Reshape", {turned, sizes}, exact);
  check_table(call, length, 1);
  Integers places;
  for (int64_t i = 0; i < length; ++i) places.push_back(checked_add(begin, checked_mul(i, columns + 1)));
  call.set(call.emit("Gather", {rows, call.constant_of(places)}, {{"axis", x.dim() - 2}}));
}

void diagonal(Call& call) { emit_diagonal(call, "self", call.integer("offset"), call.axis("dim1"), call.axis("dim2")); }

void linalg_diagonal(Call& call) {
  emit_diagonal(call, "A", call.integer("offset"), call.axis("dim1", "A"), call.axis("dim2", "A"));
}

/// Returns matrices [..., m, m] of zeros with x [..., n] on a diagonal.
std::string on_diagonal(Call& call, std::string x, int64_t rank, int64_t size, int64_t offset) {
  if (offset < -size || offset > size) call.refuse("its diagonal is not in the matrix");
  const int64_t above = std::max<int64_t>(-offset, 0), below = std::max<int64_t>(offset, 0);
  if (offset != 0) {
    Integers pads(size_t(2 * rank), 0);
    pads[size_t(rank - 1)] = above;
    pads.back() = below;
    x = call.emit("Pad", {x, call.constant_of(pads)});
  }
  const auto is_on_it = [&](int64_t row, int64_t column) { return column - row == offset; };
  const std::string mask = table_of(call, size, size, DType::kBool, is_on_it);
  const std::string column = change_axes(call, "Unsqueeze", x, {rank});
  return call.emit("Where", {mask, column, call.scalar(0, call.dtype())});
}

void diag_embed(Call& call) {
  const int64_t rank = call.result().dim();
  const auto place = [&](const std::string& name) { return normalize_axis(call.integer(name), int(rank)); };
  const int64_t a = place("dim1"), b = place("dim2");
  const std::string y = on_diagonal(call, call.value(), rank - 1, call.result().size(a), call.integer("offset"));
  call.set(transposed(call, y, inverse(two_last(rank, a, b))));
}

void diagflat(Call& call) {
  call.set(on_diagonal(call, flattened(call, call.value()), 1, call.result().size(0), call.integer("offset")));
}

/// Returns the diagonal of a matrix, or the matrix with a vector as its diagonal.
void diag(Call& call) {
  const int64_t offset = call.integer("diagonal");
  if (call.tensor().dim() == 2) return emit_diagonal(call, "self", offset, 0, 1);
  call.set(on_diagonal(call, call.value(), 1, call.result().size(0), offset));
}

/// Emits the sum of the diagonal.
void trace(Call& call) {
  const std::string here = call.cast(call.emit("EyeLike", {call.value()}), DType::kBool);
  const DType dtype = call.dtype();
  const std::string kept = call.emit("Where", {here, call.value("self", dtype), call.scalar(0, dtype)});
  call.set(reduce(call, "ReduceSum", kept, {0, 1}, false));
}

void eye(Call& call) {
  const std::string rows = call.shape("n"), columns = call.has("m") ? call.shape("m") : rows;
  const std::string shape = call.emit("Concat", {rows, columns}, {{"axis", 0}});
  call.set(
      call.cast(call.emit("EyeLike", {call.emit("Expand", {call.scalar(0, DType::kFloat32), shape})}), call.dtype()));
}

/// Emits the positions of the elements of a triangle of a matrix of this size, [2, elements].
Lowering triangle_indices(bool upper) {
  return [upper](Call& call) {
    const int64_t rows = call.integer("row"), columns = call.integer("col"), offset = call.integer("offset");
    check_table(call, rows, columns);
    Integers places, others;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        if (upper ? column - row < offset : column - row > offset) continue;
        places.push_back(row);
        others.push_back(column);
      }
    }
    const int64_t count = std::ssize(places);
    places.insert(places.end(), others.begin(), others.end());
    call.set(call.cast(call.constant_of(places, Shape{2, count}), call.dtype()));
  };
}

/// Emits matrices along a diagonal, and zeros elsewhere. Vectors and numbers become rows.
void block_diag(Call& call) {
  Names blocks = call.values("tensors", call.dtype());
  const List<TensorInfo> tensors = call.tensors("tensors");
  int64_t before = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const int64_t rank = tensors[i].dim(), columns = rank == 0 ? 1 : tensors[i].size(-1);
    if (rank < 2) blocks[i] = call.emit("Reshape", {blocks[i], call.constant_of({1, columns})});
    const int64_t behind = call.result().size(1) - before - columns;
    blocks[i] = call.emit("Pad", {blocks[i], call.constant_of({0, before, 0, behind})});
    before += columns;
  }
  call.set(call.emit("Concat", blocks, {{"axis", int64_t(0)}}));
}

}  // namespace

void register_diagonals(Lowerings& lowerings) {
  lowerings.add("aten::tril", triangle(0));
  lowerings.add("aten::triu", triangle(1));
  lowerings.add("aten::diagonal", diagonal);
  lowerings.add("aten::linalg_diagonal", linalg_diagonal);
  lowerings.add("aten::diag_embed", diag_embed);
  lowerings.add("aten::diagflat", diagflat);
  lowerings.add("aten::diag", diag);
  lowerings.add("aten::trace", trace);
  lowerings.add("aten::tril_indices", triangle_indices(false));
  lowerings.add("aten::triu_indices", triangle_indices(true));
  lowerings.add("aten::block_diag", block_diag);
  lowerings.add({"aten::eye", "aten::eye.m"}, eye);
}

}  // namespace linnet::exporter
