#include <functional>

#include "complex_parts.h"
#include "pairs.h"
#include "rules/arctangent.h"
#include "rules/building_blocks.h"
#include "rules/rule_list.h"

// Arithmetic on complex numbers.
namespace linnet::exporter {

bool is_complex(Call& call, const std::string& argument) { return is_complex(call.promoted({argument})); }

DType part_dtype(Call& call) { return stored_dtype(call.dtype()); }

std::string pairs_of(Call& call, const std::string& argument, DType dtype) {
  if (is_complex(call, argument)) return call.value(argument, dtype);
  if (!call.is_tensor(argument)) return call.constant_of({call.number(argument), 0}, Shape{2}, dtype);
  const std::string x = change_axes(call, "Unsqueeze", call.value(argument, dtype), {-1});
  Integers pads(size_t(2 * call.tensor(argument).dim() + 2), 0);
  pads.back() = 1;
  return call.emit("Pad", {x, call.constant_of(pads)});
}

std::string part(Call& call, const std::string& pairs, int64_t which) {
  return call.emit("Gather", {pairs, integer_of(call, which)}, {{"axis", -1}});
}

std::string joined(Call& call, const std::string& real, const std::string& imaginary) {
  const Names parts{change_axes(call, "Unsqueeze", real, {-1}), change_axes(call, "Unsqueeze", imaginary, {-1})};
  return call.emit("Concat", parts, {{"axis", -1}});
}

std::string conjugated(Call& call, const std::string& pairs, DType dtype) {
  return call.emit("Mul", {pairs, call.constant_of({1, -1}, Shape{2}, dtype)});
}

namespace {

using Product = std::function<std::string(const std::string& a, const std::string& b)>;

/// The parts of numbers, with a trailing axis of size 1.
struct Parts {
  std::string real, imaginary;
};

Parts split(Call& call, const std::string& pairs) {
  const Names parts = call.emit_many("Split", {pairs, call.constant_of({1, 1})}, {{"axis", -1}}, 2);
  return {parts[0], parts[1]};
}

std::string concat(Call& call, const Parts& parts) {
  return call.emit("Concat", {parts.real, parts.imaginary}, {{"axis", -1}});
}

/// Returns the complex product; `multiply` multiplies real parts.
Parts product(Call& call, const Parts& a, const Parts& b, const Product& multiply) {
  return {call.emit("Sub", {multiply(a.real, b.real), multiply(a.imaginary, b.imaginary)}),
          call.emit("Add", {multiply(a.real, b.imaginary), multiply(a.imaginary, b.real)})};
}

std::string product(Call& call, const std::string& a, const std::string& b) {
  const Product multiply = [&](const std::string& x, const std::string& y) { return call.emit("Mul", {x, y}); };
  return concat(call, product(call, split(call, a), split(call, b), multiply));
}

/// Returns a / b. It first divides by the larger part of b, so that the square does not overflow or underflow.
std::string quotient(Call& call, const std::string& a, const std::string& b, DType dtype) {
  const std::string size = reduce(call, "ReduceMax", call.emit("Abs", {b}), {-1}, true);
  const std::string unit = call.emit("Div", {b, size});
  const std::string square = reduce(call, "ReduceSumSquare", unit, {-1}, true);
  const std::string turned = product(call, a, conjugated(call, unit, dtype));
  return call.emit("Div", {call.emit("Div", {turned, square}), size});
}

/// Returns a real argument as a factor of pairs.
std::string factor_of(Call& call, const std::string& argument, DType dtype) {
  const std::string x = call.value(argument, dtype);
  return call.is_tensor(argument) ? change_axes(call, "Unsqueeze", x, {-1}) : x;
}

void multiply(Call& call) {
  const DType dtype = part_dtype(call);
  if (is_complex(call, "self") && is_complex(call, "other")) {
    return call.set(product(call, call.value("self", dtype), call.value("other", dtype)));
  }
  const bool first = is_complex(call, "self");
  const std::string pairs = call.value(first ? "self" : "other", dtype);
  call.set(call.emit("Mul", {pairs, factor_of(call, first ? "other" : "self", dtype)}));
}

void divide(Call& call) {
  const DType dtype = part_dtype(call);
  if (is_complex(call, "other")) {
    return call.set(quotient(call, pairs_of(call, "self", dtype), call.value("other", dtype), dtype));
  }
  call.set(call.emit("Div", {call.value("self", dtype), factor_of(call, "other", dtype)}));
}

/// Emits first + alpha * second, or first - alpha * second.
Lowering sum_of(const std::string& op_type, const std::string& first, const std::string& second) {
  return [=](Call& call) {
    const DType dtype = part_dtype(call);
    std::string scaled = pairs_of(call, second, dtype);
    if (call.has("alpha") && call.number("alpha") != 1) scaled = call.emit("Mul", {scaled, call.value("alpha", dtype)});
    call.set(call.emit(op_type, {pairs_of(call, first, dtype), scaled}));
  };
}

void reciprocal(Call& call) {
  const DType dtype = part_dtype(call);
  call.set(quotient(call, call.constant_of({1, 0}, Shape{2}, dtype), call.value("self", dtype), dtype));
}

void square(Call& call) { call.set(product(call, call.value(), call.value())); }

/// Emits powers as repeated products.
void power(Call& call) {
  constexpr int64_t kMostProducts = 16;
  const double exponent = call.number("exponent");
  if (!(exponent >= 1 && exponent <= kMostProducts) || exponent != double(int64_t(exponent))) {
    call.refuse("of powers of complex numbers only those with the whole exponents 1 to 16 are covered");
  }
  const std::string x = call.value("self", part_dtype(call));
  std::string y = x;
  for (int64_t i = 1; i < int64_t(exponent); ++i) y = product(call, y, x);
  call.set(y);
}

void exp(Call& call) {
  const Parts x = split(call, call.value());
  const std::string size = call.emit("Exp", {x.real});
  const auto scaled = [&](const char* op_type) { return call.emit("Mul", {size, call.emit(op_type, {x.imaginary})}); };
  call.set(concat(call, {scaled("Cos"), scaled("Sin")}));
}

std::string absolute(Call& call) { return reduce(call, "ReduceL2", call.value(), {-1}, false); }
void abs(Call& call) { call.set(absolute(call)); }

void angle(Call& call) {
  const std::string x = call.value();
  call.set(arctangent(call, part(call, x, 1), part(call, x, 0)));
}

/// Returns pi for negative numbers and 0 for others.
void angle_of_real(Call& call) {
  const DType dtype = call.dtype();
  const std::string x = call.value("self", dtype), zero = call.scalar(0, dtype);
  const std::string angle = call.emit("Where", {call.emit("Less", {x, zero}), call.scalar(M_PI, dtype), zero});
  call.set(is_floating(dtype) ? call.emit("Where", {call.emit("IsNaN", {x}), x, angle}) : angle);
}

void conj(Call& call) { call.set(conjugated(call, call.value(), part_dtype(call))); }

Lowering part_of_self(int64_t which) {
  return [which](Call& call) { call.set(part(call, call.value(), which)); };
}

/// Broadcasts two values to their common shape.
void broadcast(Call& call, const std::string& first, const std::string& second, std::string& a, std::string& b) {
  if (call.tensor(first).sizes == call.tensor(second).sizes) return;
  a = call.emit("Expand", {a, call.emit("Shape", {b})});
  b = call.emit("Expand", {b, call.emit("Shape", {a})});
}

void complex(Call& call) {
  const DType dtype = part_dtype(call);
  std::string real = call.value("real", dtype), imaginary = call.value("imag", dtype);
  broadcast(call, "real", "imag", real, imaginary);
  call.set(joined(call, real, imaginary));
}

void polar(Call& call) {
  const DType dtype = part_dtype(call);
  const std::string size = call.value("abs", dtype), angle = call.value("angle", dtype);
  const auto scaled = [&](const char* op_type) { return call.emit("Mul", {size, call.emit(op_type, {angle})}); };
  call.set(joined(call, scaled("Cos"), scaled("Sin")));
}

void identity(Call& call) { call.set(call.value()); }

/// If a complex tensor becomes real, its imaginary parts are dropped.
void convert(Call& call) {
  if (is_complex(call.dtype())) return call.set(pairs_of(call, "self", part_dtype(call)));
  if (call.dtype() == DType::kBool) call.refuse("complex numbers as bools are not covered");
  call.set(call.cast(part(call, call.value(), 0), call.dtype()));
}

Lowering reduction(const std::string& op_type) {
  return [op_type](Call& call) {
    const Integers axes = call.has("dim") ? call.axes() : order_of(call.tensor().dim());
    const bool keep = call.has("keepdim") && call.flag("keepdim");
    call.set(reduce(call, op_type, pairs_of(call, "self", part_dtype(call)), axes, keep));
  };
}

void vector_norm(Call& call) {
  const Integers axes = call.axes();
  call.set(p_norm(call, call.cast(absolute(call), call.dtype()), call.number("ord"), axes, call.flag("keepdim")));
}

/// Emits a sum of products over some axes, with one operator for the parts.
void multiply_parts(Call& call, const std::string& a, const std::string& b, const Product& multiply) {
  const Parts first{part(call, a, 0), part(call, a, 1)}, second{part(call, b, 0), part(call, b, 1)};
  const Parts parts = product(call, first, second, multiply);
  call.set(joined(call, parts.real, parts.imaginary));
}

Lowering matrix_product(const std::string& other) {
  return [other](Call& call) {
    const DType dtype = part_dtype(call);
    const Product multiply = [&](const std::string& x, const std::string& y) { return call.emit("MatMul", {x, y}); };
    multiply_parts(call, pairs_of(call, "self", dtype), pairs_of(call, other, dtype), multiply);
  };
}

void einsum(Call& call) {
  const List<TensorInfo> tensors = call.tensors("tensors");
  if (tensors.size() != 2 || !is_complex(tensors[0].dtype) || !is_complex(tensors[1].dtype)) {
    call.refuse("of complex numbers only sums of products of two complex tensors are covered");
  }
  const Names values = call.values("tensors", part_dtype(call));
  const Attributes equation{{"equation", call.text("equation")}};
  const Product multiply = [&](const std::string& x, const std::string& y) {
    return call.emit("Einsum", {x, y}, equation);
  };
  multiply_parts(call, values[0], values[1], multiply);
}

/// Emits pairs of `yes` where the condition holds, else of `no`.
void choose(Call& call, const std::string& condition, const std::string& yes, const std::string& no) {
  const DType dtype = part_dtype(call);
  const std::string holds = change_axes(call, "Unsqueeze", call.value(condition, DType::kBool), {-1});
  call.set(call.emit("Where", {holds, pairs_of(call, yes, dtype), pairs_of(call, no, dtype)}));
}

void where(Call& call) { choose(call, "condition", "self", "other"); }
void masked_fill(Call& call) { choose(call, "mask", "value", "self"); }

/// Emits equal numbers in the shape that argument `size` specifies.
void fill(Call& call, const std::string& value) {
  const std::string shape = call.emit("Concat", {call.shape("size"), call.constant_of({2})}, {{"axis", 0}});
  call.set(call.emit("Expand", {value, shape}));
}

void full(Call& call) { fill(call, pairs_of(call, "fill_value", part_dtype(call))); }
void ones(Call& call) { fill(call, call.constant_of({1, 0}, Shape{2}, part_dtype(call))); }

void full_like(Call& call) {
  if (!is_complex(call, "self")) call.refuse("complex numbers in the shape of a real tensor are not covered");
  const std::string value = pairs_of(call, "fill_value", part_dtype(call));
  call.set(call.emit("Expand", {value, call.emit("Shape", {call.value()})}));
}

void scalar_tensor(Call& call) { call.set(pairs_of(call, "s", part_dtype(call))); }

void copy(Call& call) {
  const std::string source = pairs_of(call, "src", part_dtype(call));
  const bool same = call.tensor("src").sizes == call.tensor().sizes;
  call.set(same ? source : call.emit("Expand", {source, call.emit("Shape", {call.value()})}));
}

/// Swaps the last two axes. Vectors stay as they are.
Lowering matrix_transpose(bool conjugates) {
  return [conjugates](Call& call) {
    const int64_t rank = call.tensor().dim();
    Integers order = order_of(rank + 1);
    if (rank >= 2) std::swap(order[size_t(rank - 2)], order[size_t(rank - 1)]);
    const std::string x = conjugates ? conjugated(call, call.value(), part_dtype(call)) : call.value();
    call.set(transposed(call, x, order));
  };
}

void add_arithmetic(Lowerings& lowerings) {
  lowerings.add({"complex aten::add.Tensor", "complex aten::add.Scalar"}, sum_of("Add", "self", "other"));
  lowerings.add({"complex aten::sub.Tensor", "complex aten::sub.Scalar"}, sum_of("Sub", "self", "other"));
  lowerings.add("complex aten::rsub.Scalar", [](Call& call) {
    if (call.number("alpha") != 1) call.refuse("a factor of a complex number here is not covered");
    sum_of("Sub", "other", "self")(call);
  });
  lowerings.add({"complex aten::mul.Tensor", "complex aten::mul.Scalar"}, multiply);
  lowerings.add({"complex aten::div.Tensor", "complex aten::div.Scalar"}, divide);
  lowerings.add("complex aten::reciprocal", reciprocal);
  lowerings.add("complex aten::square", square);
  lowerings.add("complex aten::pow.Tensor_Scalar", power);
  lowerings.add("complex aten::exp", exp);
  lowerings.add({"complex aten::sum", "complex aten::sum.dim_IntList"}, reduction("ReduceSum"));
  lowerings.add({"complex aten::mean", "complex aten::mean.dim"}, reduction("ReduceMean"));
  lowerings.add("complex aten::linalg_vector_norm", vector_norm);
  lowerings.add("complex aten::matmul", matrix_product("other"));
  lowerings.add({"complex aten::mm", "complex aten::bmm"}, matrix_product("mat2"));
  lowerings.add("complex aten::einsum", einsum);
}

}  // namespace

void register_complex_numbers(Lowerings& lowerings) {
  add_arithmetic(lowerings);
  lowerings.add({"complex aten::view_as_real", "complex aten::view_as_complex"}, identity);
  lowerings.add("complex aten::real", part_of_self(0));
  lowerings.add("complex aten::imag", part_of_self(1));
  lowerings.add({"aten::real", "aten::conj", "aten::_conj", "aten::conj_physical"}, identity);
  lowerings.add("complex aten::complex", complex);
  lowerings.add("complex aten::polar", polar);
  lowerings.add({"complex aten::abs", "complex aten::absolute"}, abs);
  lowerings.add("complex aten::angle", angle);
  lowerings.add("aten::angle", angle_of_real);
  lowerings.add({"complex aten::conj", "complex aten::_conj", "complex aten::conj_physical"}, conj);
  lowerings.add({"complex aten::to.dtype", "complex aten::to.device", "complex aten::to.other",
                 "complex aten::to.dtype_layout", "complex aten::type_as", "complex aten::_to_copy"},
                convert);
  lowerings.add("complex aten::where.self", where);
  lowerings.add({"complex aten::masked_fill.Scalar", "complex aten::masked_fill.Tensor"}, masked_fill);
  lowerings.add({"complex aten::full", "complex aten::new_full"}, full);
  lowerings.add({"complex aten::ones", "complex aten::new_ones"}, ones);
  lowerings.add("complex aten::full_like", full_like);
  lowerings.add("complex aten::scalar_tensor", scalar_tensor);
  lowerings.add({"complex aten::copy", "complex aten::copy_"}, copy);
  lowerings.add({"complex aten::t", "complex aten::mT"}, matrix_transpose(false));
  lowerings.add({"complex aten::mH", "complex aten::adjoint", "complex aten::matrix_H"}, matrix_transpose(true));
}

}  // namespace linnet::exporter
