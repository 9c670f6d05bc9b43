#include <algorithm>

#include "elements/dispatch.h"
#include "generator/random.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/random.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// Functions on elements from `first` on: one reads probabilities as float64, the other writes 1 for numbers below
/// them.
using ReadNumbers = void (*)(const void* x, int64_t first, int64_t n, double* out);
using WriteLess = void (*)(const double* numbers, const double* probabilities, void* y, int64_t first, int64_t n);

class BernoulliKernel final : public RandomKernel {
 public:
  BernoulliKernel(std::optional<float> seed, const RandomKernels& kernels, ReadNumbers read, WriteLess write)
      : RandomKernel(seed), kernels_(kernels), read_(read), write_(write) {}

 private:
  static constexpr int64_t kBlock = 256;

  void fill(KernelContext& context, const RandomStream& stream) const override {
    const void* x = context.input(0).raw();
    void* y = context.output(0).raw();
    parallel_items(context.executor(), context.output(0).size(), 8, [&](int64_t begin, int64_t end, int) {
      double numbers[kBlock], others[kBlock], probabilities[kBlock];
      for (int64_t first = begin; first < end; first += kBlock) {
        const int64_t n = std::min(kBlock, end - first);
        kernels_.uniform_pairs(stream.seed, stream.run, uint64_t(first), n, numbers, others);
        read_(x, first, n, probabilities);
        write_(numbers, probabilities, y, first, n);
      }
    });
  }

  RandomKernels kernels_;
  ReadNumbers read_;
  WriteLess write_;
};

template <class T>
void read_numbers(const void* x, int64_t first, int64_t n, double* out) {
  const T* from = static_cast<const T*>(x) + first;
  for (int64_t i = 0; i < n; ++i) out[i] = double(from[i]);
}

template <class T>
void write_less(const double* numbers, const double* probabilities, void* y, int64_t first, int64_t n) {
  const T zero = stored<T>(0), one = stored<T>(1);
  T* to = static_cast<T*>(y) + first;
  for (int64_t i = 0; i < n; ++i) to[i] = numbers[i] < probabilities[i] ? one : zero;
}

/// Bernoulli: 1 with the probability in the input's element, else 0. With a seed, run n of every context gives the same
/// numbers.
/// - input: float16/bfloat16/float/double in [0, 1]
/// - output: numbers or bool, of the attribute dtype, else of the input's dtype
/// Source: https://onnx.ai/onnx/operators/onnx__Bernoulli.html
class Bernoulli final : public Op {
 public:
  explicit Bernoulli(const NodeSpec& node) : seed_(seed_attribute(node)), dtype_(dtype_attribute(node, "dtype")) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_floating(in[0], "input");
    return {Fact(dtype_ == DType::kUndefined ? in[0].dtype : dtype_, in[0].dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const ReadNumbers read = dispatch_float(in.dtype(0), []<class T>() -> ReadNumbers { return read_numbers<T>; });
    const DType output = in.output_dtype(0);
    const WriteLess write = output == DType::kBool
                                ? WriteLess(write_less<bool>)
                                : dispatch_stored(output, []<class T>() -> WriteLess { return write_less<T>; });
    return std::make_unique<BernoulliKernel>(seed_, kernels_for<RandomKernels>(in.isa()), read, write);
  }

  bool deterministic() const override { return false; }

 private:
  std::optional<float> seed_;
  DType dtype_;
};

}  // namespace

LINNET_REGISTER(bernoulli)(Registry& registry) { registry.add<Bernoulli>("Bernoulli", {.since = 15}); }

}  // namespace linnet
