#include <cmath>

#include "elements/dispatch.h"
#include "op_list.h"
#include "partition/parallel.h"
#include "reduction/float_reduction.h"
#include "reduction/reduce_op.h"
#include "reduction/reducers.h"

namespace linnet {
namespace {

/// The type that values of type T are summed in.
template <class T>
using Sum =
    std::conditional_t<!std::is_integral_v<T>, double, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

/// Reduces the elements of output i.
using ReduceElement = void (*)(const ReducePlan& plan, const void* x, void* y, int64_t i);

template <class T, class Reducer, class Element>
void reduce_element(const ReducePlan& plan, const void* x, void* y, int64_t i) {
  const T* first = static_cast<const T*>(x) + plan.kept.offset(i / plan.columns) + i % plan.columns;
  Reducer reducer;
  for (int64_t j = 0; j < plan.reduced.size(); ++j) {
    const T* part = first + plan.reduced.offset(j);
    for (int64_t r = 0; r < plan.rows; ++r) reducer.add(static_cast<Element>(part[r * plan.columns]));
  }
  static_cast<T*>(y)[i] = static_cast<T>(reducer.result(plan.count()));
}

/// A reduction of any dtype, one output element after the other.
class ReduceKernel final : public Kernel {
 public:
  ReduceKernel(const ReducePlan& plan, ReduceElement reduce) : plan_(plan), reduce_(reduce) {}

  void run(KernelContext& context) const override {
    const void* x = context.input(0).raw();
    void* y = context.output(0).raw();
    parallel_items(context.executor(), plan_.outputs(), plan_.count(), [&](int64_t i, int64_t end, int) {
      for (; i < end; ++i) reduce_(plan_, x, y, i);
    });
  }

 private:
  ReducePlan plan_;
  ReduceElement reduce_;
};

void divide_by_count(float* y, int64_t n, int64_t count) {
  for (int64_t i = 0; i < n; ++i) y[i] /= float(count);
}
void square_root(float* y, int64_t n, int64_t) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::sqrt(y[i]);
}
void logarithm(float* y, int64_t n, int64_t) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::log(y[i]);
}

using MakeFloat = FloatReduction (*)(const KernelTable&);

/// One of the operators ReduceX. Reducer<A> gives its meaning, kFloat its float32 kernels (nullptr: none).
/// Integers are reduced modulo 2^64.
template <template <class> class Reducer, int64_t kAxesInputSince, MakeFloat kFloat, bool kOrders = false>
class Reduce final : public ReduceOp {
 public:
  explicit Reduce(const NodeSpec& node) : ReduceOp(node, kAxesInputSince) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    std::vector<Fact> out = ReduceOp::infer(in);
    if (!is_half(in[0].dtype)) element(in[0].dtype);
    return out;
  }

  KernelPtr compile(const CompileInput& in) const override {
    const ReducePlan plan = this->plan(in);
    if (kFloat != nullptr && in.dtype(0) == DType::kFloat32 && plan.count() > 1) {
      const FloatReduction reduction = kFloat(kernel_table(in.isa()));
      if (reduction.join || plan.reduced.size() == 1) return make_float_reduction(plan, reduction);
    }
    return std::make_unique<ReduceKernel>(plan, element(in.dtype(0)));
  }

 private:
  static ReduceElement element(DType dtype) {
    if constexpr (kOrders) {
      if (dtype == DType::kBool) return reduce_element<bool, Reducer<bool>, bool>;
      return dispatch_number(dtype, []<class T>() -> ReduceElement { return reduce_element<T, Reducer<T>, T>; });
    } else {
      return dispatch_number(dtype,
                             []<class T>() -> ReduceElement { return reduce_element<T, Reducer<Sum<T>>, Sum<T>>; });
    }
  }
};

FloatReduction float_sum(const KernelTable& k) { return {k.reduce.sum, k.binary.add.vector_vector}; }
FloatReduction float_mean(const KernelTable& k) { return {k.reduce.sum, k.binary.add.vector_vector, divide_by_count}; }
FloatReduction float_l1(const KernelTable& k) { return {k.reduce.sum_abs, k.binary.add.vector_vector}; }
FloatReduction float_l2(const KernelTable& k) { return {k.reduce.sum_square, k.binary.add.vector_vector, square_root}; }
FloatReduction float_sum_square(const KernelTable& k) { return {k.reduce.sum_square, k.binary.add.vector_vector}; }
FloatReduction float_log_sum(const KernelTable& k) { return {k.reduce.sum, k.binary.add.vector_vector, logarithm}; }
FloatReduction float_log_sum_exp(const KernelTable& k) {
  return {{k.softmax.log_sum_exp_row, k.softmax.log_sum_exp_columns}, nullptr};
}
FloatReduction float_max(const KernelTable& k) { return {k.reduce.max, k.binary.max.vector_vector}; }
FloatReduction float_min(const KernelTable& k) { return {k.reduce.min, k.binary.min.vector_vector}; }

}  // namespace

/// Sources: https://onnx.ai/onnx/operators/onnx__ReduceSum.html and those of the other names.
void register_reduce(Registry& registry) {
  registry.add<Reduce<SumReducer, 13, float_sum>>("ReduceSum");
  registry.add<Reduce<MeanReducer, 18, float_mean>>("ReduceMean");
  registry.add<Reduce<SumAbsReducer, 18, float_l1>>("ReduceL1");
  registry.add<Reduce<NormReducer, 18, float_l2>>("ReduceL2");
  registry.add<Reduce<SumSquareReducer, 18, float_sum_square>>("ReduceSumSquare");
  registry.add<Reduce<LogSumReducer, 18, float_log_sum>>("ReduceLogSum");
  registry.add<Reduce<LogSumExpReducer, 18, float_log_sum_exp>>("ReduceLogSumExp");
  registry.add<Reduce<ProductReducer, 18, nullptr>>("ReduceProd");
  registry.add<Reduce<MaxReducer, 18, float_max, true>>("ReduceMax");
  registry.add<Reduce<MinReducer, 18, float_min, true>>("ReduceMin");
}

}  // namespace linnet
