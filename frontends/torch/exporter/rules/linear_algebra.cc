#include <algorithm>
#include <cmath>

#include "building_blocks.h"
#include "integer_products.h"
#include "rule_list.h"

// Products of matrices and vectors that MatMul does not cover, and distances.
namespace linnet::exporter {
namespace {

void einsum(Call& call) {
  std::string equation = call.text("equation");
  std::erase(equation, ' ');
  call.set(call.emit("Einsum", call.values("tensors", call.dtype()), {{"equation", equation}}));
}

/// Multiplies matrices from left to right.
Lowering chain(const std::string& argument) {
  return [argument](Call& call) {
    const Names matrices = call.values(argument, multiplied(call.dtype()));
    std::string y = matrices[0];
    for (size_t i = 1; i < matrices.size(); ++i) y = call.emit("MatMul", {y, matrices[i]});
    call.set(call.cast(y, call.dtype()));
  };
}

/// Multiplies each element of a by each element of b.
std::string outer_product(Call& call, const std::string& a, const std::string& b) {
  const DType dtype = call.dtype();
  return call.emit("Mul", {change_axes(call, "Unsqueeze", call.value(a, dtype), {1}), call.value(b, dtype)});
}

void outer(Call& call) { call.set(outer_product(call, "self", "vec2")); }

void addr(Call& call) { call.set(scaled_sum(call, outer_product(call, "vec1", "vec2"))); }

void addbmm(Call& call) {
  const DType dtype = multiplied(call.dtype());
  const std::string products = call.emit("MatMul", {call.value("batch1", dtype), call.value("batch2", dtype)});
  call.set(scaled_sum(call, call.cast(reduce(call, "ReduceSum", products, {0}, false), call.dtype())));
}

/// Emits a sum of products over axes of both tensors. The other axes remain, those of `a` first.
void contract(Call& call, Integers axes_a, Integers axes_b) {
  const DType dtype = multiplied(call.dtype());
  const auto others = [](int64_t rank, const Integers& axes) {
    Integers rest = order_of(rank);
    std::erase_if(rest, [&](int64_t axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); });
    return rest;
  };
  int64_t count = 1;
  for (const int64_t axis : axes_a) count = checked_mul(count, call.tensor().size(axis));
  Integers order_a = others(call.tensor().dim(), axes_a), order_b = axes_b;
  const Integers rest_b = others(call.tensor("other").dim(), axes_b);
  order_a.insert(order_a.end(), axes_a.begin(), axes_a.end());
  order_b.insert(order_b.end(), rest_b.begin(), rest_b.end());
  const std::string a = transposed(call, call.value("self", dtype), order_a);
  const std::string b = transposed(call, call.value("other", dtype), order_b);
  const std::string product = call.emit("MatMul", {call.emit("Reshape", {a, call.constant_of({-1, count})}),
                                                   call.emit("Reshape", {b, call.constant_of({count, -1})})});
  call.set(reshaped_to_result(call, call.cast(product, call.dtype())));
}

void tensordot(Call& call) { contract(call, call.axes("dims_self"), call.axes("dims_other", "other")); }

/// Contracts the last axes of both tensors.
void inner(Call& call) {
  const int64_t a = call.tensor().dim(), b = call.tensor("other").dim();
  if (a > 0 && b > 0) return contract(call, {a - 1}, {b - 1});
  call.set(call.emit("Mul", {call.value("self", call.dtype()), call.value("other", call.dtype())}));
}

void vecdot(Call& call) {
  const std::string product = call.emit("Mul", {call.value("x", call.dtype()), call.value("y", call.dtype())});
  const int64_t rank = std::max<int64_t>({call.tensor("x").dim(), call.tensor("y").dim(), 1});
  call.set(reduce(call, "ReduceSum", product, {normalize_axis(call.integer("dim"), int(rank))}, false));
}

void vdot(Call& call) {
  const DType dtype = multiplied(call.dtype());
  call.set(call.cast(call.emit("MatMul", {call.value("self", dtype), call.value("other", dtype)}), call.dtype()));
}

/// Emits (a1 b2 - a2 b1, a2 b0 - a0 b2, a0 b1 - a1 b0) along an axis of size 3.
void cross(Call& call) {
  const Integers& sizes = call.result().sizes;
  int64_t axis = std::find(sizes.begin(), sizes.end(), 3) - sizes.begin();
  if (call.has("dim")) axis = call.integer("dim");
  const int64_t from_end = axis < 0 ? axis : axis - call.result().dim();
  const auto turned = [&](const std::string& name, const Integers& order) {
    const Attributes attributes{{"axis", from_end}};
    return call.emit("Gather", {call.value(name, call.dtype()), call.constant_of(order)}, attributes);
  };
  const std::string plus = call.emit("Mul", {turned("self", {1, 2, 0}), turned("other", {2, 0, 1})});
  const std::string minus = call.emit("Mul", {turned("self", {2, 0, 1}), turned("other", {1, 2, 0})});
  call.set(call.emit("Sub", {plus, minus}));
}

/// Multiplies each element of self by the whole of other. The axes of the two alternate and are merged in pairs.
void kron(Call& call) {
  const int64_t rank = call.result().dim();
  const auto spread = [&](const std::string& name, int64_t offset) {
    Integers axes;
    const int64_t missing = rank - call.tensor(name).dim();
    for (int64_t i = 0; i < 2 * rank; ++i) {
      if (i % 2 == offset || i / 2 < missing) axes.push_back(i);
    }
    return change_axes(call, "Unsqueeze", call.value(name, call.dtype()), axes);
  };
  if (rank == 0)
    return call.set(call.emit("Mul", {call.value("self", call.dtype()), call.value("other", call.dtype())}));
  const std::string product = call.emit("Mul", {spread("self", 1), spread("other", 0)});
  call.set(call.emit("Reshape", {product, call.result_shape()}));
}

void matrix_power(Call& call) {
  const int64_t n = rounds_of(call, "n");
  if (n < 0) call.refuse("ONNX has no inverse of a matrix");
  if (n == 0) {
    const std::string wide = call.emit("Shape", {call.value()});
    const auto is_equal = [](int64_t row, int64_t column) { return row == column; };
    const std::string one = table_of(call, call.tensor().size(-1), call.tensor().size(-1), call.dtype(), is_equal);
    return call.set(call.emit("Expand", {one, wide}));
  }
  const std::string x = call.value("self", multiplied(call.dtype()));
  std::string y = x;
  for (int64_t i = 1; i < n; ++i) y = call.emit("MatMul", {y, x});
  call.set(call.cast(y, call.dtype()));
}

Lowering determinant(const std::string& argument) {
  return [argument](Call& call) { call.set(call.emit("Det", {call.value(argument)})); };
}
void logdet(Call& call) { call.set(call.emit("Log", {call.emit("Det", {call.value()})})); }

/// Emits x1^T W x2 + b for each matrix of W.
void bilinear(Call& call) {
  const DType dtype = call.dtype();
  const Names inputs{call.value("input1", dtype), call.value("weight", dtype), call.value("input2", dtype)};
  const std::string y = call.emit("Einsum", inputs, {{"equation", std::string("...i,oij,...j->...o")}});
  call.set(call.has("bias") ? call.emit("Add", {y, call.value("bias", dtype)}) : y);
}

/// Emits the distances of all rows of x1 to all rows of x2.
void cdist(Call& call) {
  const DType dtype = call.dtype();
  const std::string a = change_axes(call, "Unsqueeze", call.value("x1", dtype), {call.tensor("x1").dim() - 1});
  const std::string b = change_axes(call, "Unsqueeze", call.value("x2", dtype), {call.tensor("x2").dim() - 2});
  call.set(p_norm(call, call.emit("Sub", {a, b}), call.number("p"), {-1}, false));
}

/// Emits the distances of all pairs of rows.
void pdist(Call& call) {
  const int64_t count = call.tensor().size(0);
  check_table(call, count, count / 2);
  Integers firsts, seconds;
  for (int64_t first = 0; first < count; ++first) {
    for (int64_t second = first + 1; second < count; ++second) {
      firsts.push_back(first);
      seconds.push_back(second);
    }
  }
  const auto rows = [&](const Integers& places) {
    return call.emit("Gather", {call.value(), call.constant_of(places)}, {{"axis", 0}});
  };
  call.set(p_norm(call, call.emit("Sub", {rows(firsts), rows(seconds)}), call.number("p"), {1}, false));
}

void pairwise_distance(Call& call) {
  const DType dtype = call.dtype();
  const std::string difference = call.emit("Sub", {call.value("x1", dtype), call.value("x2", dtype)});
  const std::string shifted = call.emit("Add", {difference, call.scalar(call.number("eps"), dtype)});
  call.set(p_norm(call, shifted, call.number("p"), {-1}, call.flag("keepdim")));
}

void dist(Call& call) {
  const DType dtype = call.dtype();
  const std::string difference = call.emit("Sub", {call.value("self", dtype), call.value("other", dtype)});
  call.set(p_norm(call, flattened(call, difference), call.number("p"), {0}, false));
}

/// Emits the dot product divided by both lengths, which are at least eps.
void cosine_similarity(Call& call) {
  const DType dtype = call.dtype();
  const int64_t rank = std::max(call.tensor("x1").dim(), call.tensor("x2").dim()), dim = call.integer("dim");
  const int64_t axis = dim < 0 ? dim : dim - rank;
  const auto direction = [&](const std::string& name) {
    const std::string x = call.value(name, dtype), length = p_norm(call, x, 2, {axis}, true);
    return call.emit("Div", {x, call.emit("Max", {length, call.scalar(call.number("eps"), dtype)})});
  };
  call.set(reduce(call, "ReduceSum", call.emit("Mul", {direction("x1"), direction("x2")}), {axis}, false));
}

/// Returns the largest or smallest sum of |x| along one axis of a matrix.
std::string sums_norm(Call& call, double order, const Integers& axes, bool keep) {
  const bool rows = std::isinf(order);
  const std::string sums = reduce(call, "ReduceL1", call.value("self", call.dtype()), {axes[rows ? 1 : 0]}, true);
  const std::string y = reduce(call, order > 0 ? "ReduceMax" : "ReduceMin", sums, {axes[rows ? 0 : 1]}, true);
  return keep ? y : change_axes(call, "Squeeze", y, axes);
}

void set_matrix_norm(Call& call, const Integers& axes) {
  const double order = call.number("ord");
  if (std::abs(order) != 1 && !std::isinf(order)) call.refuse("ONNX has no singular values");
  call.set(sums_norm(call, order, axes, call.flag("keepdim")));
}

void matrix_norm(Call& call) { set_matrix_norm(call, call.axes()); }

void frobenius(Call& call) {
  if (call.text("ord") != "fro") call.refuse("ONNX has no singular values");
  call.set(p_norm(call, call.value("self", call.dtype()), 2, call.axes(), call.flag("keepdim")));
}

/// Emits a matrix norm if two axes and an order are given, else a vector norm. Without axes, it covers all elements.
void linalg_norm(Call& call) {
  const Integers axes = call.has("dim") ? call.axes() : order_of(call.tensor().dim());
  if (call.has("ord") && axes.size() == 2) return set_matrix_norm(call, axes);
  const double order = call.has("ord") ? call.number("ord") : 2;
  call.set(p_norm(call, call.value("self", call.dtype()), order, axes, call.flag("keepdim")));
}

}  // namespace

void register_linear_algebra(Lowerings& lowerings) {
  lowerings.add("aten::einsum", einsum);
  lowerings.add("aten::chain_matmul", chain("matrices"));
  lowerings.add("aten::linalg_multi_dot", chain("tensors"));
  lowerings.add({"aten::outer", "aten::ger"}, outer);
  lowerings.add("aten::addr", addr);
  lowerings.add("aten::addbmm", addbmm);
  lowerings.add("aten::tensordot", tensordot);
  lowerings.add("aten::inner", inner);
  lowerings.add("aten::linalg_vecdot", vecdot);
  lowerings.add("aten::vdot", vdot);
  lowerings.add({"aten::cross", "aten::linalg_cross"}, cross);
  lowerings.add("aten::kron", kron);
  lowerings.add({"aten::matrix_power", "aten::linalg_matrix_power"}, matrix_power);
  lowerings.add("aten::det", determinant("self"));
  lowerings.add({"aten::linalg_det", "aten::_linalg_det"}, determinant("A"));
  lowerings.add("aten::logdet", logdet);
  lowerings.add("aten::bilinear", bilinear);
  lowerings.add({"aten::cdist", "aten::_cdist_forward"}, cdist);
  lowerings.add({"aten::pdist", "aten::_pdist_forward"}, pdist);
  lowerings.add("aten::pairwise_distance", pairwise_distance);
  lowerings.add("aten::dist", dist);
  lowerings.add("aten::cosine_similarity", cosine_similarity);
  lowerings.add("aten::linalg_matrix_norm", matrix_norm);
  lowerings.add({"aten::linalg_matrix_norm.str_ord", "aten::linalg_norm.ord_str"}, frobenius);
  lowerings.add("aten::linalg_norm", linalg_norm);
}

}  // namespace linnet::exporter
