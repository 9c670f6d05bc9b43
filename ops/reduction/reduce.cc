#include <algorithm>
#include <cmath>

#include "elements/dispatch.h"
#include "elements/to_integer.h"
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

/// Values that are added side by side: of one output, or of outputs that are neighbours in memory.
constexpr int64_t kLanes = 8;

/// Adds kCount values of each row, which lie `pitch` apart, to as many reducers.
template <class Element, int64_t kCount, class T, class Reducer>
void add_rows(const T* __restrict x, int64_t rows, int64_t pitch, Reducer* __restrict reducers) {
  for (int64_t r = 0; r < rows; ++r, x += pitch) {
    for (int64_t l = 0; l < kCount; ++l) reducers[l].add(static_cast<Element>(x[l]));
  }
}

/// Adds n values that lie `pitch` apart; in a row, those of each lane first.
template <class Element, class T, class Reducer>
void add_values(const T* x, int64_t n, int64_t pitch, Reducer& reducer) {
  if (pitch != 1 || n < kLanes) return add_rows<Element, 1>(x, n, pitch, &reducer);
  Reducer lanes[kLanes];
  add_rows<Element, kLanes>(x, n / kLanes, kLanes, lanes);
  for (const Reducer& lane : lanes) reducer.join(lane);
  add_rows<Element, 1>(x + n / kLanes * kLanes, n % kLanes, 1, &reducer);
}

/// A result as a T; what is no integer as Cast makes it one.
template <class T, class Result>
T number(Result result) {
  if constexpr (std::is_integral_v<T> && std::is_floating_point_v<Result>) return to_integer<T>(result);
  return static_cast<T>(result);
}

/// Reduces the elements of the outputs [begin, end).
using ReduceOutputs = void (*)(const ReducePlan& plan, const void* x, void* y, int64_t begin, int64_t end);

template <class T, class Reducer, class Element>
void reduce_outputs(const ReducePlan& plan, const void* x, void* y, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end;) {
    const int64_t column = i % plan.columns;
    const T* first = static_cast<const T*>(x) + plan.kept.offset(i / plan.columns) + column;
    Reducer reducers[kLanes];
    const int64_t n = std::min(end - i, plan.columns - column) >= kLanes ? kLanes : 1;
    for (int64_t j = 0; j < plan.reduced.size(); ++j) {
      const T* part = first + plan.reduced.offset(j);
      if (n == kLanes) {
        add_rows<Element, kLanes>(part, plan.rows, plan.columns, reducers);
      } else {
        add_values<Element>(part, plan.rows, plan.columns, *reducers);
      }
    }
    for (int64_t l = 0; l < n; ++l, ++i) {
      static_cast<T*>(y)[i] = number<T>(reducers[l].result(plan.count()));
    }
  }
}

/// A reduction of any dtype.
class ReduceKernel final : public Kernel {
 public:
  ReduceKernel(const ReducePlan& plan, ReduceOutputs reduce) : plan_(plan), reduce_(reduce) {}

  void run(KernelContext& context) const override {
    const void* x = context.input(0).raw();
    void* y = context.output(0).raw();
    parallel_items(context.executor(), plan_.outputs(), plan_.count(),
                   [&](int64_t begin, int64_t end, int) { reduce_(plan_, x, y, begin, end); });
  }

 private:
  ReducePlan plan_;
  ReduceOutputs reduce_;
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
  static ReduceOutputs element(DType dtype) {
    if constexpr (kOrders) {
      if (dtype == DType::kBool) return reduce_outputs<bool, Reducer<bool>, bool>;
      return dispatch_number(dtype, []<class T>() -> ReduceOutputs { return reduce_outputs<T, Reducer<T>, T>; });
    } else {
      return dispatch_number(dtype,
                             []<class T>() -> ReduceOutputs { return reduce_outputs<T, Reducer<Sum<T>>, Sum<T>>; });
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
