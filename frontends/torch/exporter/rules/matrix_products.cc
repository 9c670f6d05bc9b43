#include "building_blocks.h"
#include "integer_products.h"
#include "rule_list.h"

// Products of matrices and vectors by MatMul or Gemm.
namespace linnet::exporter {
namespace {

/// Emits y = x w^T + b in the dtype that integers are multiplied in.
void linear_of_integers(Call& call) {
  const DType dtype = multiplied(call.dtype());
  const bool vector = call.tensor("weight").dim() == 1;
  const std::string w = call.value("weight", dtype);
  const std::string turned = vector ? w : call.emit("Transpose", {w}, {{"perm", Integers{1, 0}}});
  std::string y = call.emit("MatMul", {call.value("input", dtype), turned});
  if (call.has("bias")) y = call.emit("Add", {y, call.value("bias", dtype)});
  call.set(call.cast(y, call.dtype()));
}

/// Emits y = x w^T + b.
void linear(Call& call) {
  if (!is_floating(call.dtype())) return linear_of_integers(call);
  const DType dtype = call.dtype();
  const bool matrix = call.tensor("input").dim() == 2 && call.tensor("weight").dim() == 2;
  const std::string x = call.value("input", dtype), w = call.value("weight", dtype);
  if (matrix) {
    const std::string b = call.has("bias") ? call.value("bias", dtype) : "";
    return call.set(call.emit("Gemm", {x, w, b}, {{"transB", 1}}));
  }
  const bool vector = call.tensor("weight").dim() == 1;
  const std::string product =
      call.emit("MatMul", {x, vector ? w : call.emit("Transpose", {w}, {{"perm", Integers{1, 0}}})});
  call.set(call.has("bias") ? call.emit("Add", {product, call.value("bias", dtype)}) : product);
}

/// Emits a product of two arguments.
Lowering product(const std::string& first, const std::string& second) {
  return [=](Call& call) {
    const DType dtype = multiplied(call.dtype());
    call.set(call.cast(call.emit("MatMul", {call.value(first, dtype), call.value(second, dtype)}), call.dtype()));
  };
}

/// Emits beta * self + alpha * (first @ second).
Lowering add_product(const std::string& first, const std::string& second) {
  return [=](Call& call) {
    const DType dtype = multiplied(call.dtype());
    const std::string product = call.emit("MatMul", {call.value(first, dtype), call.value(second, dtype)});
    call.set(scaled_sum(call, call.cast(product, call.dtype())));
  };
}

/// Emits beta * self + alpha * (mat1 @ mat2) as Gemm; self has at most two axes.
void addmm(Call& call) {
  const DType dtype = call.dtype();
  if (!is_floating(dtype)) return add_product("mat1", "mat2")(call);
  const Attributes factors{{"alpha", call.number("alpha")}, {"beta", call.number("beta")}};
  call.set(
      call.emit("Gemm", {call.value("mat1", dtype), call.value("mat2", dtype), call.value("self", dtype)}, factors));
}

void dot(Call& call) { product("self", "tensor")(call); }

/// Multiplies int8 matrices, with sums in int32.
void product_of_bytes(Call& call) {
  for (const char* name : {"self", "mat2"}) {
    if (call.tensor(name).dtype != DType::kInt8) call.refuse("only products of int8 are covered");
  }
  call.set(call.emit("MatMulInteger", {call.value(), call.value("mat2")}));
}

}  // namespace

void register_matrix_products(Lowerings& lowerings) {
  lowerings.add("aten::linear", linear);
  lowerings.add("aten::matmul", product("self", "other"));
  lowerings.add({"aten::mm", "aten::bmm"}, product("self", "mat2"));
  lowerings.add("aten::_int_mm", product_of_bytes);
  lowerings.add("aten::mv", product("self", "vec"));
  lowerings.add("aten::dot", dot);
  lowerings.add("aten::addmm", addmm);
  lowerings.add("aten::addmv", add_product("mat", "vec"));
  lowerings.add("aten::baddbmm", add_product("batch1", "batch2"));
}

}  // namespace linnet::exporter
