#include <cmath>

#include "building_blocks.h"
#include "rule_list.h"

// Reductions over some or all axes.
namespace linnet::exporter {
namespace {

bool keeps(Call& call) { return call.has("keepdim") && call.flag("keepdim"); }

/// Returns the given axes or all axes. If self has rank 0, returns no axes, even if some are given.
Integers all_or_given(Call& call) {
  if (call.has("dim") && call.tensor().dim() > 0) return call.axes();
  return order_of(call.tensor().dim());
}

/// Returns a dtype that ONNX can add and compare.
DType reducible(DType dtype) {
  return is_floating(dtype) || dtype == DType::kInt64 || dtype == DType::kInt32 ? dtype : DType::kInt32;
}

/// Computes in the result's dtype.
Lowering reduction(const std::string& op_type) {
  return [op_type](Call& call) {
    const std::string x = call.value("self", reducible(call.dtype()));
    call.set(call.cast(reduce(call, op_type, x, all_or_given(call), keeps(call)), call.dtype()));
  };
}

/// Emits extreme values and their first positions along an axis.
Lowering extreme(const std::string& op_type, const std::string& position_type) {
  return [=](Call& call) {
    const TensorInfo& x = call.tensor();
    const std::string values = call.value("self", reducible(x.dtype));
    const int64_t axis = call.axis(), keep = keeps(call);
    if (x.dim() == 0) {
      call.set_result(0, call.value());
      return call.set_result(1, call.scalar(0, DType::kInt64));
    }
    call.set_result(0, call.cast(reduce(call, op_type, values, {axis}, keep != 0), x.dtype));
    call.set_result(1, call.emit(position_type, {values}, {{"axis", axis}, {"keepdims", keep}}));
  };
}

/// Emits positions along an axis, or in the flattened tensor if no axis is given.
Lowering position(const std::string& op_type) {
  return [op_type](Call& call) {
    const std::string x = call.value("self", reducible(call.tensor().dtype));
    if (call.has("dim") && call.tensor().dim() > 0) {
      return call.set(call.emit(op_type, {x}, {{"axis", call.axis()}, {"keepdims", int64_t(keeps(call))}}));
    }
    const std::string y = call.emit(op_type, {flattened(call, x)}, {{"axis", 0}, {"keepdims", 0}});
    const Integers ones(size_t(call.result().dim()), 1);
    call.set(ones.empty() ? y : call.emit("Reshape", {y, call.constant_of(ones)}));
  };
}

/// Returns the number that is subtracted from the number of elements in a variance.
double correction(Call& call) {
  if (call.has("unbiased")) return call.flag("unbiased") ? 1 : 0;
  return call.has("correction") ? call.number("correction") : 1;
}

std::string count_of(Call& call, const Integers& axes, DType dtype) {
  std::string count = call.constant_of({1});
  for (const int64_t axis : axes) count = call.emit("Mul", {count, call.size("self", axis)});
  return call.emit("Squeeze", {call.cast(count, dtype), call.constant_of({0})});
}

/// Computes in float64, as PyTorch does: squares of large numbers overflow in float32.
std::string variance(Call& call, bool keep) {
  const Integers axes = all_or_given(call);
  const std::string x = call.value("self", DType::kFloat64), zero = call.scalar(0, DType::kFloat64);
  const std::string centered = call.emit("Sub", {x, reduce(call, "ReduceMean", x, axes, true)});
  const std::string squares = call.emit("Mul", {centered, centered});
  const std::string less = call.scalar(correction(call), DType::kFloat64);
  const std::string count = call.emit("Max", {call.emit("Sub", {count_of(call, axes, DType::kFloat64), less}), zero});
  return call.emit("Div", {reduce(call, "ReduceSum", squares, axes, keep), count});
}

std::string deviation(Call& call, bool keep) { return call.emit("Sqrt", {variance(call, keep)}); }

void var(Call& call) { call.set(call.cast(variance(call, keeps(call)), call.dtype())); }
void standard_deviation(Call& call) { call.set(call.cast(deviation(call, keeps(call)), call.dtype())); }

void set_mean(Call& call) {
  call.set_result(1, reduce(call, "ReduceMean", call.value(), all_or_given(call), keeps(call)));
}
void var_mean(Call& call) {
  call.set_result(0, call.cast(variance(call, keeps(call)), call.dtype()));
  set_mean(call);
}
void std_mean(Call& call) {
  call.set_result(0, call.cast(deviation(call, keeps(call)), call.dtype()));
  set_mean(call);
}

std::string norm_of(Call& call, double p) {
  if (std::isinf(p) && p < 0 && call.tensor().numel() == 0) call.refuse("no element is the smallest of none");
  return p_norm(call, call.value("self", call.dtype()), p, all_or_given(call), keeps(call));
}

/// Without p, computes the 2-norm.
void norm(Call& call) { call.set(norm_of(call, call.has("p") ? call.number("p") : 2)); }
void vector_norm(Call& call) { call.set(norm_of(call, call.number("ord"))); }

void aminmax(Call& call) {
  const std::string x = call.value("self", reducible(call.dtype()));
  for (size_t i = 0; i < 2; ++i) {
    const std::string y = reduce(call, i == 0 ? "ReduceMin" : "ReduceMax", x, all_or_given(call), keeps(call));
    call.set_result(i, call.cast(y, call.dtype()));
  }
}

/// Counts elements that are NaN as 0; with `mean`, does not count them at all.
Lowering reduction_without_nan(bool mean) {
  return [mean](Call& call) {
    const DType dtype = call.dtype();
    const std::string x = call.value("self", dtype), zero = call.scalar(0, dtype);
    if (!is_floating(dtype)) return call.set(reduce(call, "ReduceSum", x, all_or_given(call), keeps(call)));
    const std::string bad = call.emit("IsNaN", {x}), some = call.emit("Where", {bad, zero, x});
    const std::string sum = reduce(call, "ReduceSum", some, all_or_given(call), keeps(call));
    if (!mean) return call.set(sum);
    const std::string good = call.emit("Where", {bad, zero, call.scalar(1, dtype)});
    call.set(call.emit("Div", {sum, reduce(call, "ReduceSum", good, all_or_given(call), keeps(call))}));
  };
}

void count_nonzero(Call& call) {
  const std::string ones = call.cast(call.value("self", DType::kBool), DType::kInt64);
  call.set(reduce(call, "ReduceSum", ones, all_or_given(call), false));
}

/// Reduces bools as integers: "all" is the minimum, which is 1 for no elements, and "any" the sum, which is 0 for no
/// elements.
Lowering quantifier(const std::string& op_type) {
  return [op_type](Call& call) {
    const std::string bits = call.cast(call.value("self", DType::kBool), DType::kInt32);
    const std::string count = reduce(call, op_type, bits, all_or_given(call), keeps(call));
    call.set(call.cast(call.cast(count, DType::kBool), call.dtype()));
  };
}

}  // namespace

void register_reductions(Lowerings& lowerings) {
  lowerings.add({"aten::sum", "aten::sum.dim_IntList"}, reduction("ReduceSum"));
  lowerings.add({"aten::mean", "aten::mean.dim"}, reduction("ReduceMean"));
  lowerings.add({"aten::prod", "aten::prod.dim_int"}, reduction("ReduceProd"));
  lowerings.add({"aten::amax", "aten::max"}, reduction("ReduceMax"));
  lowerings.add({"aten::amin", "aten::min"}, reduction("ReduceMin"));
  lowerings.add({"aten::logsumexp", "aten::special_logsumexp"}, reduction("ReduceLogSumExp"));
  lowerings.add("aten::max.dim", extreme("ReduceMax", "ArgMax"));
  lowerings.add("aten::min.dim", extreme("ReduceMin", "ArgMin"));
  lowerings.add("aten::argmax", position("ArgMax"));
  lowerings.add("aten::argmin", position("ArgMin"));
  lowerings.add({"aten::var", "aten::var.dim", "aten::var.correction"}, var);
  lowerings.add({"aten::std", "aten::std.dim", "aten::std.correction"}, standard_deviation);
  lowerings.add({"aten::var_mean", "aten::var_mean.dim", "aten::var_mean.correction"}, var_mean);
  lowerings.add({"aten::std_mean", "aten::std_mean.dim", "aten::std_mean.correction"}, std_mean);
  lowerings.add("aten::aminmax", aminmax);
  lowerings.add("aten::nansum", reduction_without_nan(false));
  lowerings.add("aten::nanmean", reduction_without_nan(true));
  lowerings.add({"aten::count_nonzero", "aten::count_nonzero.dim_IntList"}, count_nonzero);
  lowerings.add({"aten::norm.ScalarOpt_dim", "aten::norm.Scalar", "aten::norm.ScalarOpt_dtype",
                 "aten::norm.ScalarOpt_dim_dtype", "aten::frobenius_norm", "aten::frobenius_norm.dim"},
                norm);
  lowerings.add("aten::linalg_vector_norm", vector_norm);
  lowerings.add({"aten::all", "aten::all.dim", "aten::all.dims"}, quantifier("ReduceMin"));
  lowerings.add({"aten::any", "aten::any.dim", "aten::any.dims"}, quantifier("ReduceSum"));
}

}  // namespace linnet::exporter
