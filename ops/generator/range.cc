#include <algorithm>
#include <cmath>

#include "elements/dispatch.h"
#include "elements/wrapping_arithmetic.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "infer/prefix_rules.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr double kMaxLength = 0x1p53;

[[noreturn]] void throw_length(double length) {
  throw Error(ErrorKind::kLimit, str("a range of ", length, " elements is too long"));
}

/// The number of elements of start, start + delta, ... before limit.
template <class T>
int64_t count(T start, T limit, T delta) {
  if (delta == 0) throw Error(ErrorKind::kShape, "delta must not be 0");
  if constexpr (std::is_integral_v<T>) {
    if (delta > 0 ? start >= limit : start <= limit) return 0;
    const auto low = uint64_t(std::min(start, limit)), high = uint64_t(std::max(start, limit));
    const uint64_t step = delta > 0 ? uint64_t(delta) : 0 - uint64_t(delta);
    const uint64_t length = (high - low - 1) / step + 1;
    if (double(length) > kMaxLength) throw_length(double(length));
    return int64_t(length);
  } else {
    const double length = std::ceil(double(limit - start) / double(delta));
    if (!(length <= kMaxLength)) throw_length(length);
    return length > 0 ? int64_t(length) : 0;
  }
}

template <class F>
auto dispatch_range(DType dtype, F&& f) {
  return dispatch_among<int16_t, int32_t, int64_t, float, double>(dtype, f);
}

template <class T>
class RangeKernel final : public Kernel {
  // Unsigned, so that products out of range wrap around to elements within it.
  using Number = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;

 public:
  RangeKernel(const Tensor& start, const Tensor& delta)
      : start_(Number(*start.data<T>())), delta_(Number(*delta.data<T>())) {}

  void run(KernelContext& context) const override {
    T* y = context.output(0).data<T>();
    parallel_items(context.executor(), context.output(0).size(), 1,
                   [=, this](int64_t begin, int64_t end, int) { write(begin, int32_t(end - begin), y + begin); });
  }

 private:
  /// Writes n elements from element `first` on. Positions are sums of a double and an int32, which are exact and which
  /// every instruction set converts in vectors.
  void write(int64_t first, int32_t n, T* y) const {
    const Number start = start_, delta = delta_;
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      auto value = Unsigned(start + wrapping_mul(Number(first), delta));
      for (int32_t i = 0; i < n; ++i, value = Unsigned(value + Unsigned(delta))) y[i] = T(value);
    } else {
      const auto begin = double(first);
      for (int32_t i = 0; i < n; ++i) y[i] = T(start + Number(begin + double(i)) * delta);
    }
  }

  Number start_, delta_;
};

/// Range: start, start + delta, ... before limit.
/// - start, limit, delta: one element each, of one dtype: int16/int32/int64/float16/bfloat16/float/double
/// - output: [n]
/// Source: https://onnx.ai/onnx/operators/onnx__Range.html
class Range final : public Op {
 public:
  explicit Range(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 3);
    bool known = true;
    for (const Fact& fact : in) {
      require_same_dtype(in[0], fact, "start, limit and delta");
      if (fact.constant) require_one_element(fact, "each of start, limit and delta");
      known = known && fact.constant;
    }
    if (!known || is_half(in[0].dtype)) return {Fact(in[0].dtype, Dims{open_length(in)})};
    return {Fact(in[0].dtype, Dims{length(in)})};
  }

  std::optional<Dims> contents(std::span<const Fact> in, const Fact& out) const override {
    const auto start = elements_of(in[0]), delta = elements_of(in[2]);
    if (!start || !delta || start->size() != 1 || delta->size() != 1) return std::nullopt;
    Dims elements;
    for (int64_t i = 0; i < out.dim(0).value(); ++i) elements.push_back(start->front() + i * delta->front());
    return elements;
  }

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_range(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<RangeKernel<T>>(*in.constant(0), *in.constant(2));
    });
  }

  std::vector<int> value_inputs() const override { return {0, 1, 2}; }

  /// A fixed number of elements from a start that depends on the rows, or an element for each row.
  bool prefix(Prefix& prefix) const override {
    if (prefix.output_axis(0) >= 0) return prefix.input(0).constant && prefix.input(2).constant && prefix.carry();
    const auto start = elements_of(prefix.input(0));
    const auto delta = constant_ints(prefix.input(2));
    const Fact& y = prefix.output(0);
    if (!start || start->size() != 1 || !delta || y.dtype != DType::kInt64 || !y.concrete()) return false;
    PrefixGraph& graph = prefix_graph(prefix);
    NodeSpec add = graph.node().spec;
    add.op_type = "Add";
    add.opset = std::max<int64_t>(add.opset, 14);
    Tensor steps(DType::kInt64, y.shape());
    for (int64_t i = 0; i < steps.size(); ++i) steps.data<int64_t>()[i] = checked_mul(i, delta->at(0));
    const ValueId begin = graph.numbers(*start, Shape{1});
    const ValueId behind = graph.constant(add.name + ".steps", steps);
    graph.give(0, graph.add(std::move(add), {begin, behind}));
    return true;
  }

 private:
  /// The length as an expression, if start, limit and delta are expressions.
  static Dim open_length(std::span<const Fact> in) {
    if (!is_followed(in[0].dtype)) return {};
    const auto start = determined_ints(in[0]), limit = determined_ints(in[1]), delta = determined_ints(in[2]);
    if (!start || !limit || !delta || start->size() != 1 || limit->size() != 1 || delta->size() != 1) return {};
    const Dim distance = limit->front() - start->front(), step = delta->front();
    const bool falls = step.known() && step.value() < 0;
    return max(falls ? ceil_div(Dim(0) - distance, Dim(0) - step) : ceil_div(distance, step), 0);
  }

  static int64_t length(std::span<const Fact> in) {
    return dispatch_range(in[0].dtype, [&]<class T>() {
      const auto value = [&](size_t i) { return *in[i].constant.template data<T>(); };
      return count<T>(value(0), value(1), value(2));
    });
  }
};

}  // namespace

LINNET_REGISTER(range)(Registry& registry) { registry.add<Range>("Range", {.since = 11}); }

}  // namespace linnet
