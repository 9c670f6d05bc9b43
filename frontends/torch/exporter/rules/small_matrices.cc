#include <algorithm>

#include "building_blocks.h"
#include "rule_list.h"

// Inverses and factors of small matrices. ONNX has no operators for them, so the steps of the algorithms are emitted,
// in float64. Where PyTorch throws for a singular matrix, these return numbers that are not finite.
namespace linnet::exporter {
namespace {

constexpr int64_t kMostRows = 8;

/// Returns the number of rows of square matrices, which must be known and small.
int64_t rows_of_matrix(Call& call, const std::string& name) {
  const TensorInfo& x = call.tensor(name);
  const int64_t rows = x.dim() < 2 ? 0 : x.size(-1);
  if (rows < 1 || rows > kMostRows || x.size(-2) != rows || call.dynamic(name, x.dim() - 1) || !is_floating(x.dtype)) {
    call.refuse("ONNX has no operator for it, and only square matrices of floats with 1 to " +
                std::to_string(kMostRows) + " rows, a fixed number, are spelled out");
  }
  return rows;
}

std::string wide(Call& call, const std::string& name) { return call.value(name, DType::kFloat64); }

std::string row_of(Call& call, const std::string& x, int64_t i) { return slice(call, x, -2, i, i + 1); }
std::string column_of(Call& call, const std::string& x, int64_t i) { return slice(call, x, -1, i, i + 1); }

std::string transposed_matrices(Call& call, const std::string& x, int64_t rank) {
  Integers order = order_of(rank);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return transposed(call, x, order);
}

/// Returns the sizes of all axes but the last two.
std::string batch_of(Call& call, const std::string& x) { return slice(call, call.emit("Shape", {x}), 0, 0, -2); }

/// Returns the identity for each matrix of x.
std::string identities(Call& call, const std::string& x, int64_t rows) {
  const auto is_equal = [](int64_t row, int64_t column) { return row == column; };
  return call.emit("Expand", {table_of(call, rows, rows, DType::kFloat64, is_equal), call.emit("Shape", {x})});
}

/// Emits one step of Gauss-Jordan elimination. Among the rows from k on, the one with the largest element in column k
/// is swapped with row k. Column k then becomes that of the identity.
std::string eliminated(Call& call, const std::string& x, int64_t k, int64_t rows) {
  const std::string size = call.emit("Abs", {column_of(call, slice(call, x, -2, k, kEnd), k)});
  const std::string step = call.emit("ArgMax", {size}, {{"axis", -2}, {"keepdims", 1}});
  const std::string place = call.emit("Add", {step, integer_of(call, k)});
  const std::string places = call.constant_of(order_of(rows), Shape{rows, 1});
  const std::string is_largest = call.emit("Equal", {places, place});
  const std::string only = call.emit("Where", {is_largest, x, call.scalar(0, DType::kFloat64)});
  const std::string largest = reduce(call, "ReduceSum", only, {-2}, true);
  const std::string changed = call.emit("Where", {is_largest, row_of(call, x, k), x});
  const std::string row = call.emit("Div", {largest, column_of(call, largest, k)});
  const std::string rest = call.emit("Sub", {changed, call.emit("Mul", {column_of(call, changed, k), row})});
  const auto is_k = [k](int64_t i, int64_t) { return i == k; };
  return call.emit("Where", {table_of(call, rows, 1, DType::kBool, is_k), row, rest});
}

/// Returns the x of a x = b, whose batches agree.
std::string solution(Call& call, const std::string& a, const std::string& b, int64_t rows) {
  std::string both = call.emit("Concat", {a, b}, {{"axis", -1}});
  for (int64_t k = 0; k < rows; ++k) both = eliminated(call, both, k, rows);
  return slice(call, both, -1, rows, kEnd);
}

/// Sets the info result to 0 for each matrix: no step failed.
void set_info(Call& call, size_t index, const std::string& x) {
  call.set_result(index, call.emit("Expand", {call.scalar(0, DType::kInt32), batch_of(call, x)}));
}

Lowering inverse_of(const std::string& name, bool has_info = false) {
  return [=](Call& call) {
    const int64_t rows = rows_of_matrix(call, name);
    const std::string a = wide(call, name);
    call.set_result(0, call.cast(solution(call, a, identities(call, a, rows), rows), call.dtype()));
    if (has_info) set_info(call, 1, a);
  };
}

/// Whether b is one vector for each matrix, not a matrix.
bool solves_vectors(Call& call) {
  const TensorInfo &a = call.tensor("A"), &b = call.tensor("B");
  return b.dim() == 1 || (a.dim() - 1 == b.dim() && b.sizes == part_of(a.sizes, 0, b.dim()));
}

/// Broadcasts a value to the batch that it has in common with another.
std::string in_batch_of(Call& call, const std::string& x, const std::string& other) {
  const std::string shape = call.emit("Concat", {batch_of(call, other), call.constant_of({1, 1})}, {{"axis", 0}});
  return call.emit("Expand", {x, shape});
}

/// `info` is the index of the result that shows which matrices are singular, or 0 if there is no such result.
Lowering solve(size_t info = 0) {
  return [info](Call& call) {
    const int64_t rows = rows_of_matrix(call, "A");
    const bool is_vector = solves_vectors(call), is_left = call.flag("left");
    std::string a = wide(call, "A"), b = wide(call, "B");
    const int64_t rank_of_b = call.tensor("B").dim() + is_vector;
    if (is_vector) b = change_axes(call, "Unsqueeze", b, {rank_of_b - 1});
    if (!is_left && is_vector) call.refuse("vectors are solved from the left only");
    if (!is_left) a = transposed_matrices(call, a, call.tensor("A").dim());
    if (!is_left) b = transposed_matrices(call, b, rank_of_b);
    const std::string matrices = in_batch_of(call, a, b);
    std::string x = solution(call, matrices, in_batch_of(call, b, a), rows);
    if (!is_left) x = transposed_matrices(call, x, std::max(rank_of_b, call.tensor("A").dim()));
    if (is_vector) x = change_axes(call, "Squeeze", x, {-1});
    call.set_result(0, call.cast(x, call.dtype()));
    if (info > 0) set_info(call, info, a);
  };
}

/// Returns the lower factor. Elements above the diagonal are not read.
/// Source: https://en.wikipedia.org/wiki/Cholesky_decomposition#The_Cholesky_algorithm
std::string lower_factor(Call& call, std::string rest, int64_t rows, int64_t rank) {
  Names columns;
  for (int64_t j = 0; j < rows; ++j) {
    const std::string column = column_of(call, rest, j);
    const std::string scaled = call.emit("Div", {column, call.emit("Sqrt", {row_of(call, column, j)})});
    const auto is_below = [j](int64_t i, int64_t) { return i >= j; };
    const std::string below = table_of(call, rows, 1, DType::kBool, is_below);
    columns.push_back(call.emit("Where", {below, scaled, call.scalar(0, DType::kFloat64)}));
    rest =
        call.emit("Sub", {rest, call.emit("Mul", {columns.back(), transposed_matrices(call, columns.back(), rank)})});
  }
  return call.emit("Concat", columns, {{"axis", -1}});
}

void cholesky(Call& call) {
  const int64_t rows = rows_of_matrix(call, "self"), rank = call.tensor().dim();
  const bool is_upper = call.flag("upper");
  const std::string x = wide(call, "self");
  const std::string factor = lower_factor(call, is_upper ? transposed_matrices(call, x, rank) : x, rows, rank);
  call.set_result(0, call.cast(is_upper ? transposed_matrices(call, factor, rank) : factor, call.dtype()));
}

void cholesky_with_info(Call& call) {
  cholesky(call);
  set_info(call, 1, call.value());
}

/// Returns the x of a x = b, where a is triangular. Elements outside the triangle are not read.
std::string triangular_solution(Call& call, const std::string& a, std::string rest, int64_t rows, bool is_upper,
                                bool has_ones) {
  Names solved;
  solved.resize(size_t(rows));
  for (int64_t step = 0; step < rows; ++step) {
    const int64_t i = is_upper ? rows - 1 - step : step;
    const std::string column = column_of(call, a, i);
    std::string x = row_of(call, rest, i);
    if (!has_ones) x = call.emit("Div", {x, row_of(call, column, i)});
    solved[size_t(i)] = x;
    rest = call.emit("Sub", {rest, call.emit("Mul", {column, x})});
  }
  return call.emit("Concat", solved, {{"axis", -2}});
}

/// Solves a x = b, or x a = b from the right.
void solve_triangular(Call& call) {
  const int64_t rows = rows_of_matrix(call, "self"), rank = call.result().dim();
  const bool is_left = call.flag("left"), is_upper = call.flag("upper") == is_left;
  std::string a = wide(call, "self"), b = wide(call, "B");
  if (!is_left) a = transposed_matrices(call, a, call.tensor().dim());
  if (!is_left) b = transposed_matrices(call, b, call.tensor("B").dim());
  const std::string x =
      triangular_solution(call, a, in_batch_of(call, b, a), rows, is_upper, call.flag("unitriangular"));
  call.set(call.cast(is_left ? x : transposed_matrices(call, x, rank), call.dtype()));
}

/// Emits the older form, whose second result is a copy of the triangle.
void triangular_solve(Call& call) {
  const int64_t rows = rows_of_matrix(call, "A");
  const bool is_turned = call.flag("transpose"), is_upper = call.flag("upper") != is_turned;
  std::string a = wide(call, "A");
  if (is_turned) a = transposed_matrices(call, a, call.tensor("A").dim());
  const std::string b = in_batch_of(call, wide(call, "self"), a);
  const std::string x = triangular_solution(call, a, b, rows, is_upper, call.flag("unitriangular"));
  call.set_result(0, call.cast(x, call.dtype()));
  call.set_result(1, call.value("A"));
}

/// Emits the x of l l^T x = b.
void cholesky_solve(Call& call) {
  const int64_t rows = rows_of_matrix(call, "input2"), rank = call.tensor("input2").dim();
  const std::string factor = wide(call, "input2"), other = transposed_matrices(call, factor, rank);
  const bool is_upper = call.flag("upper");
  const std::string &lower = is_upper ? other : factor, &upper = is_upper ? factor : other;
  const std::string y =
      triangular_solution(call, lower, in_batch_of(call, wide(call, "self"), factor), rows, false, false);
  call.set(call.cast(triangular_solution(call, upper, y, rows, true, false), call.dtype()));
}

/// Emits the sign of the determinant and the logarithm of its absolute value. In float64 the determinant of many rows
/// does not overflow.
Lowering sign_and_logarithm(const std::string& name) {
  return [name](Call& call) {
    const std::string determinant = call.emit("Det", {wide(call, name)});
    call.set_result(0, call.cast(call.emit("Sign", {determinant}), call.dtype(0)));
    const std::string logarithm = call.emit("Log", {call.emit("Abs", {determinant})});
    call.set_result(1, call.cast(logarithm, call.dtype(1)));
  };
}

}  // namespace

void register_small_matrices(Lowerings& lowerings) {
  lowerings.add("aten::linalg_inv", inverse_of("A"));
  lowerings.add("aten::linalg_inv_ex", inverse_of("A", true));
  lowerings.add("aten::inverse", inverse_of("self"));
  lowerings.add("aten::linalg_solve", solve());
  lowerings.add("aten::linalg_solve_ex", solve(1));
  lowerings.add("aten::_linalg_solve_ex", solve(3));
  lowerings.add({"aten::linalg_cholesky", "aten::cholesky"}, cholesky);
  lowerings.add("aten::linalg_cholesky_ex", cholesky_with_info);
  lowerings.add("aten::linalg_solve_triangular", solve_triangular);
  lowerings.add("aten::triangular_solve", triangular_solve);
  lowerings.add("aten::cholesky_solve", cholesky_solve);
  lowerings.add({"aten::linalg_slogdet", "aten::_linalg_slogdet"}, sign_and_logarithm("A"));
  lowerings.add("aten::slogdet", sign_and_logarithm("self"));
}

}  // namespace linnet::exporter
