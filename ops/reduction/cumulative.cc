#include <algorithm>

#include "elements/wrapping_arithmetic.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "linnet/prefix.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

/// Computes y = f(a, b) for n elements.
template <class T, class Function>
class RowFunction {
 public:
  explicit RowFunction(Isa isa) {
    if constexpr (std::is_same_v<T, float>)
      kernel_ = (kernels_for<BinaryKernels>(isa).*Function::kFloats).vector_vector;
    else if constexpr (std::is_same_v<T, double>)
      kernel_ = kernels_for<NumberKernels>(isa).*Function::kDoubles;
    else
      kernel_ = kernels_for<NumberKernels>(isa).width(dtype_of<T>)->*Function::kIntegers;
  }

  void operator()(const T* a, const T* b, T* y, int64_t n) const {
    if constexpr (std::is_same_v<T, float>) {
      kernel_(a, b, y, n);
    } else {
      const void* operands[] = {a, b};
      kernel_(operands, y, n);
    }
  }

 private:
  std::conditional_t<std::is_same_v<T, float>, BinaryForms::F, NumberFunction> kernel_;
};

struct SumFunction {
  static constexpr int kNeutral = 0;
  static constexpr auto kFloats = &BinaryKernels::add;
  static constexpr auto kDoubles = &NumberKernels::add_f64;
  static constexpr auto kIntegers = &WidthFunctions::add;
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_add(a, b);
  }
  static Dim of_dims(const Dim& a, const Dim& b) { return a + b; }
};

struct ProductFunction {
  static constexpr int kNeutral = 1;
  static constexpr auto kFloats = &BinaryKernels::mul;
  static constexpr auto kDoubles = &NumberKernels::mul_f64;
  static constexpr auto kIntegers = &WidthFunctions::mul;
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_mul(a, b);
  }
  static Dim of_dims(const Dim& a, const Dim& b) { return a * b; }
};

int64_t axis_value(const Tensor& axis) {
  return axis.dtype() == DType::kInt32 ? *axis.data<int32_t>() : *axis.data<int64_t>();
}

struct Order {
  bool exclusive;
  bool reverse;
};

template <class T, class Function>
class CumulativeKernel final : public Kernel {
 public:
  CumulativeKernel(Order order, Isa isa) : order_(order), add_row_(isa) {}

  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const int axis = normalize_axis(axis_value(context.input(1)), x.rank());
    const Lines lines{x.dim(axis), x.shape().elements(axis + 1, x.rank())};
    if (x.size() == 0) return;
    const T* from = x.data<T>();
    T* to = context.output(0).data<T>();
    const int64_t outer = x.shape().elements(0, axis);
    if (lines.inner == 1) return run_lines(context.executor(), lines.length, outer, from, to);
    // Whole rows are read in order. They are divided only if there are too few blocks for the workers.
    const int64_t parts = ceil_div(std::max<int64_t>(1, context.executor().workers()), outer);
    const int64_t block = std::clamp<int64_t>(ceil_div(lines.inner, parts), std::min(kLeastBlock, lines.inner), kBlock);
    const int64_t blocks = ceil_div(lines.inner, block);
    parallel_items(context.executor(), outer * blocks, lines.length * block, [&](int64_t first, int64_t last, int) {
      Checkpoints checkpoints;
      for (int64_t unit = first; unit < last; ++unit) {
        const int64_t column = unit % blocks * block;
        const int64_t offset = unit / blocks * lines.length * lines.inner + column;
        run_block(lines, from + offset, to + offset, std::min(block, lines.inner - column), checkpoints);
      }
    });
  }

 private:
  /// The number of adjacent lines along the axis that are computed together. Cores that share shorter rows wait for
  /// memory.
  static constexpr int64_t kBlock = 1024, kLeastBlock = 512;
  /// The number of contiguous lines that are computed together, because the sums of one line depend on each other.
  /// Integer sums are fast enough alone.
  static constexpr int64_t kTogether = std::is_integral_v<T> ? 1 : 4;

  struct Lines {
    int64_t length;
    int64_t inner;  ///< The distance from one element of a line to the next.
  };

  /// Each row of y is the row before it plus a row of x.
  void run_block(const Lines& lines, const T* x, T* y, int64_t n, Checkpoints& checkpoints) const {
    const int64_t pitch = order_.reverse ? -lines.inner : lines.inner;
    const int64_t first = order_.reverse ? (lines.length - 1) * lines.inner : 0;
    x += first;
    y += first;
    for (int64_t i = 0; i < n; ++i) y[i] = order_.exclusive ? T(Function::kNeutral) : add(T(Function::kNeutral), x[i]);
    if (!order_.exclusive) x += pitch;
    for (int64_t step = 1; step < lines.length; ++step, x += pitch, y += pitch) {
      if (order_.reverse)
        add_row_backwards(y, x, y + pitch, n);
      else
        add_row_(y, x, y + pitch, n);
      checkpoints.add(n);
    }
  }

  /// Adds parts from the end, each in ascending order, because processors prefetch ascending reads.
  static void add_row_backwards(const T* a, const T* b, T* y, int64_t n) {
    constexpr int64_t kPart = 128 / sizeof(T);
    for (; n >= kPart; n -= kPart) add_part(a + n - kPart, b + n - kPart, y + n - kPart, kPart);
    add_part(a, b, y, n);
  }
  static void add_part(const T* __restrict a, const T* __restrict b, T* __restrict y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = add(a[i], b[i]);
  }

  static T add(T a, T b) { return Function()(a, b); }

  void run_lines(Executor& executor, int64_t length, int64_t count, const T* x, T* y) const {
    parallel_items(executor, ceil_div(count, kTogether), length * kTogether, [&](int64_t first, int64_t last, int) {
      Checkpoints checkpoints;
      for (; first < last; ++first) {
        const int64_t line = first * kTogether;
        const int64_t offset = line * length;
        if (line + kTogether <= count) {
          run_together<kTogether>(length, x + offset, y + offset, checkpoints);
        } else {
          for (int64_t l = line; l < count; ++l) {
            run_together<1>(length, x + l * length, y + l * length, checkpoints);
          }
        }
      }
    });
  }

  template <int kLines>
  void run_together(int64_t length, const T* x, T* y, Checkpoints& checkpoints) const {
    T total[kLines];
    std::fill_n(total, kLines, T(Function::kNeutral));
    checkpoints.in_parts(length, kLines, [&](int64_t step, int64_t end) {
      for (; step < end; ++step) {
        const int64_t at = order_.reverse ? length - 1 - step : step;
#pragma GCC unroll 4
        for (int l = 0; l < kLines; ++l) {
          const T before = total[l];
          total[l] = Function()(before, x[at + l * length]);
          y[at + l * length] = order_.exclusive ? before : total[l];
        }
      }
    });
  }

  Order order_;
  RowFunction<T, Function> add_row_;
};

/// CumSum, CumProd: the sum or product of x's elements along the axis up to and including the element itself. With
/// exclusive, the element itself is excluded; with reverse, the sum runs from the end. Elements are added in order.
/// x, y: numbers, any rank from 1 on.
/// axis: int32/int64, one element.
/// Source: https://onnx.ai/onnx/operators/onnx__CumSum.html
template <class Function>
class Cumulative final : public Op {
 public:
  explicit Cumulative(const NodeSpec& node)
      : order_{node.attr_or("exclusive", false), node.attr_or("reverse", false)} {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype_in(in[1], std::array{DType::kInt32, DType::kInt64}, "axis");
    require_one_element(in[1], "axis");
    return same_as(in[0]);
  }

  /// Known for vectors only.
  std::optional<Dims> contents(std::span<const Fact> in, const Fact&) const override {
    auto elements = in[0].rank() == 1 ? elements_of(in[0]) : std::nullopt;
    if (!elements) return std::nullopt;
    Dim total = Function::kNeutral;
    for (size_t i = 0; i < elements->size(); ++i) {
      Dim& x = (*elements)[order_.reverse ? elements->size() - 1 - i : i];
      const Dim before = std::exchange(total, Function::of_dims(total, x));
      x = order_.exclusive ? before : total;
    }
    return elements;
  }

  bool prefix(Prefix& prefix) const override { return !order_.reverse && prefix.carry(); }

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_number(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<CumulativeKernel<T, Function>>(order_, in.isa());
    });
  }

 private:
  Order order_;
};

}  // namespace

LINNET_REGISTER(cumulative)(Registry& registry) {
  registry.add<Cumulative<SumFunction>>("CumSum", {.since = 11});
  registry.add<Cumulative<ProductFunction>>("CumProd", {.since = 26});
}

}  // namespace linnet
