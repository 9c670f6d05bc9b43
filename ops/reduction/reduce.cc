#include "kernels/reduce.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "elements/dispatch.h"
#include "elements/to_integer.h"
#include "infer/prefix_rules.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/number_reduce.h"
#include "kernels/softmax.h"
#include "kernels/transpose.h"
#include "reduction/make_reduction.h"
#include "reduction/reduce_op.h"
#include "reduction/reducers.h"
#include "registration.h"

namespace linnet {
namespace {

void divide_by_count(float* y, int64_t n, int64_t count) {
  for (int64_t i = 0; i < n; ++i) y[i] /= float(count);
}
void square_root(float* y, int64_t n, int64_t) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::sqrt(y[i]);
}
void logarithm(float* y, int64_t n, int64_t) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::log(y[i]);
}

using MakeFloat = FloatReduction (*)(Isa);
using MakeNumber = KernelPtr (*)(const ReducePlan&, DType, Isa);
// The reduction of two integers, see Op::contents(); nullptr if unknown.
using OfDims = Dim (*)(const Dim&, const Dim&);

Dim sum_of_dims(const Dim& a, const Dim& b) { return a + b; }
Dim product_of_dims(const Dim& a, const Dim& b) { return a * b; }

/// The accumulator of values of type T, as in the kernels.
template <class T, class Terms>
using Total = std::conditional_t<Terms::kReal || !std::is_integral_v<T>, double,
                                 std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

/// uint64 has the same bits as int64, so it needs no conversion to it.
std::vector<Conversion> conversions_to(DType to, DType from, Isa isa) {
  if (from == to || (from == DType::kUint64 && to == DType::kInt64)) return {};
  if (from != DType::kUint64) return *cast_path(from, to, isa);
  const auto convert = [](const void* x, void* y, int64_t n) {
    std::copy_n(static_cast<const uint64_t*>(x), n, static_cast<double*>(y));
  };
  return {{convert, sizeof(double)}};
}

/// The transposition of elements of `bytes` bytes.
auto transposition(size_t bytes, const TransposeKernels& kernels) {
  return bytes == 1 ? kernels.bits8 : bytes == 2 ? kernels.bits16 : bytes == 4 ? kernels.bits32 : kernels.bits64;
}

template <class Terms>
KernelPtr make_sum(const ReducePlan& plan, DType dtype, Isa isa) {
  return dispatch_number(dtype, [&]<class T>() {
    using A = Total<T, Terms>;
    constexpr bool real = std::is_same_v<A, double>;
    const NumberReduceKernels& kernels = kernels_for<NumberReduceKernels>(isa);
    const NumberSums& sums = real ? kernels.sums_f64 : kernels.sums_s64;
    const bool is_magnitude = Terms::kReduction == &NumberSums::sum_abs && std::is_unsigned_v<T>;
    return make_number_reduction(
        plan, {.convert = conversions_to(real ? DType::kFloat64 : DType::kInt64, dtype, isa),
               .reduce = is_magnitude ? sums.sum : sums.*Terms::kReduction,
               .transpose = transposition(sizeof(A), kernels_for<TransposeKernels>(isa)),
               .x_bytes = sizeof(T),
               .total_bytes = sizeof(A),
               .y_bytes = sizeof(T),
               .begin = [](void* totals, int64_t n) { std::fill_n(static_cast<A*>(totals), n, A(Terms::kNeutral)); },
               .finish =
                   [](const void* totals, int64_t n, int64_t count, void* y) {
                     const A* from = static_cast<const A*>(totals);
                     std::transform(from, from + n, static_cast<T*>(y),
                                    [count](A total) { return to_number<T>(Terms::result(total, count)); });
                   }});
  });
}

template <class Order>
KernelPtr make_extreme(const ReducePlan& plan, DType dtype, Isa isa) {
  const auto make = [&]<class T>() {
    return make_number_reduction(
        plan,
        {.convert = {},
         .reduce = kernels_for<NumberReduceKernels>(isa).extremes(dtype)->*Order::kReduction,
         .transpose = transposition(sizeof(T), kernels_for<TransposeKernels>(isa)),
         .x_bytes = sizeof(T),
         .total_bytes = sizeof(T),
         .y_bytes = sizeof(T),
         .begin = [](void* best, int64_t n) { std::fill_n(static_cast<T*>(best), n, Order::template neutral<T>()); },
         .finish = [](const void* best, int64_t n, int64_t,
                      void* y) { std::copy_n(static_cast<const T*>(best), n, static_cast<T*>(y)); }});
  };
  return dtype == DType::kBool ? make.template operator()<bool>() : dispatch_number(dtype, make);
}

KernelPtr make_log_sum(const ReducePlan& plan, DType dtype, Isa) { return make_log_sum_exp(plan, dtype); }

/// A ReduceX operator, with its kernels for float32 (nullptr if there are no kernels) and for all numbers.
template <int64_t kAxesInputSince, MakeFloat kFloat, MakeNumber kNumber, OfDims kOfDims = nullptr, bool kOrders = false>
class Reduce final : public ReduceOp {
 public:
  explicit Reduce(const NodeSpec& node) : ReduceOp(node, kAxesInputSince) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    std::vector<Fact> out = ReduceOp::infer(in);
    const bool is_bool = kOrders && in[0].dtype == DType::kBool;
    if (!is_half(in[0].dtype) && !is_bool) dispatch_number(in[0].dtype, []<class T>() {});
    return out;
  }

  /// Known for the reduction of all elements to one: then no kept dim is above 1.
  std::optional<Dims> contents(std::span<const Fact> in, const Fact& out) const override {
    const auto x = kOfDims != nullptr && out.shape().elements() == 1 ? elements_of(in[0]) : std::nullopt;
    if (!x || x->empty()) return std::nullopt;
    return Dims{std::accumulate(x->begin() + 1, x->end(), x->front(), kOfDims)};
  }

  /// A sum of integers over all rows is correct if the rows after those in use are zero.
  bool prefix(Prefix& prefix) const override {
    const bool sums = kOfDims == sum_of_dims && (is_followed(prefix.output(0).dtype));
    return sums && prefix.output(0).concrete() && add_with_zeros(prefix_graph(prefix));
  }

  KernelPtr compile(const CompileInput& in) const override {
    const ReducePlan plan = this->plan(in);
    if (kFloat != nullptr && in.dtype(0) == DType::kFloat32 && plan.count() > 1) {
      const FloatReduction reduction = kFloat(in.isa());
      if (reduction.join || plan.reduced.size() == 1)
        return make_float_reduction(plan, reduction, kernels_for<TransposeKernels>(in.isa()));
    }
    return kNumber(plan, in.dtype(0), in.isa());
  }
};

using B = BinaryKernels;
using R = ReduceKernels;

template <R::Pair R::*kReduce, BinaryForms B::*kJoin, FloatReduction::Finish kFinish = nullptr>
FloatReduction float_kernels(Isa isa) {
  return {kernels_for<R>(isa).*kReduce, (kernels_for<B>(isa).*kJoin).vector_vector, kFinish};
}
FloatReduction float_log_sum_exp(Isa isa) {
  const SoftmaxKernels& kernels = kernels_for<SoftmaxKernels>(isa);
  return {{kernels.log_sum_exp_row, kernels.log_sum_exp_columns}, nullptr};
}

}  // namespace

/// Source: https://onnx.ai/onnx/operators/onnx__ReduceSum.html and the pages of the other operators.
LINNET_REGISTER(reduce)(Registry& registry) {
  registry.add<Reduce<13, float_kernels<&R::sum, &B::add>, make_sum<SumTerms>, sum_of_dims>>("ReduceSum");
  registry.add<Reduce<18, float_kernels<&R::sum, &B::add, divide_by_count>, make_sum<MeanTerms>>>("ReduceMean");
  registry.add<Reduce<18, float_kernels<&R::sum_abs, &B::add>, make_sum<SumAbsTerms>>>("ReduceL1");
  registry.add<Reduce<18, float_kernels<&R::sum_square, &B::add, square_root>, make_sum<NormTerms>>>("ReduceL2");
  registry.add<Reduce<18, float_kernels<&R::sum_square, &B::add>, make_sum<SumSquareTerms>>>("ReduceSumSquare");
  registry.add<Reduce<18, float_kernels<&R::sum, &B::add, logarithm>, make_sum<LogSumTerms>>>("ReduceLogSum");
  registry.add<Reduce<18, float_log_sum_exp, make_log_sum>>("ReduceLogSumExp");
  registry.add<Reduce<18, nullptr, make_sum<ProductTerms>, product_of_dims>>("ReduceProd");
  registry.add<Reduce<18, float_kernels<&R::max, &B::max>, make_extreme<Greatest>, max, true>>("ReduceMax");
  registry.add<Reduce<18, float_kernels<&R::min, &B::min>, make_extreme<Least>, min, true>>("ReduceMin");
}

}  // namespace linnet
