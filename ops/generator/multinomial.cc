#include <algorithm>
#include <cmath>

#include "elements/dispatch.h"
#include "generator/random.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// Samples by inverting the cumulative sums of a row's probabilities, in double precision.
template <class T>
class MultinomialKernel final : public RandomKernel {
 public:
  MultinomialKernel(std::optional<float> seed, const Shape& x, const Shape& y)
      : RandomKernel(seed), rows_(x[0]), classes_(x[1]), samples_(y[1]) {}

  size_t scratch_bytes() const override { return size_t(checked_mul(classes_, sizeof(double))); }

 private:
  void fill(KernelContext& context, const RandomStream& stream) const override {
    const T* x = context.input(0).data<T>();
    Tensor& y = context.output(0);
    parallel_items(context.executor(), rows_, classes_ + 8 * samples_, [&](int64_t begin, int64_t end, int worker) {
      Checkpoints checkpoints;
      auto* sums = reinterpret_cast<double*>(context.scratch(worker));
      for (int64_t row = begin; row < end; ++row) {
        accumulate(x + row * classes_, sums, checkpoints);
        checkpoints.in_parts(samples_, kDrawWork, [&](int64_t first, int64_t last) {
          for (int64_t i = row * samples_ + first; i < row * samples_ + last; ++i)
            store(y, i, draw(sums, stream.uniform(uint64_t(i))));
        });
      }
    });
  }

  static constexpr int64_t kDrawWork = 256;  // a search that may miss the caches at every step

  void accumulate(const T* x, double* sums, Checkpoints& checkpoints) const {
    T top = x[0];
    checkpoints.in_parts(
        classes_, 4, [&](int64_t begin, int64_t end) { top = std::max(top, *std::max_element(x + begin, x + end)); });
    double sum = 0;
    checkpoints.in_parts(classes_, 16, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) sums[c] = sum += std::exp(double(x[c]) - double(top));
    });
  }

  int64_t draw(const double* sums, double u) const {
    const double* found = std::upper_bound(sums, sums + classes_, u * sums[classes_ - 1]);
    return std::min<int64_t>(found - sums, classes_ - 1);
  }

  static void store(Tensor& y, int64_t i, int64_t value) {
    if (y.dtype() == DType::kInt32) {
      static_cast<int32_t*>(y.raw())[i] = int32_t(value);
    } else {
      static_cast<int64_t*>(y.raw())[i] = value;
    }
  }

  int64_t rows_, classes_, samples_;
};

/// Multinomial: sample_size classes for each row of the batch, sampled with the probabilities whose logarithms, up to a
/// constant, are in the row. With a seed, run n of every context gives the same numbers.
/// - input: float16/bfloat16/float/double [batch, classes]
/// - output: int32 or int64 (attribute dtype, default int32) [batch, sample_size]
/// Source: https://onnx.ai/onnx/operators/onnx__Multinomial.html
class Multinomial final : public Op {
 public:
  explicit Multinomial(const NodeSpec& node)
      : seed_(seed_attribute(node)),
        samples_(node.attr_or("sample_size", 1)),
        dtype_(dtype_attribute(node, "dtype", DType::kInt32)) {
    if (samples_ < 0) throw Error(ErrorKind::kModel, str("sample_size must not be negative, got ", samples_));
    if (dtype_ != DType::kInt32 && dtype_ != DType::kInt64) {
      throw Error(ErrorKind::kModel, str("dtype must be int32 or int64, got ", dtype_));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_floating(in[0], "input");
    require_rank(in[0], 2, "input");
    if (in[0].has_rank() && certainly_equal(in[0].dim(1), 0))
      throw Error(ErrorKind::kShape, "there are no classes to draw");
    return {Fact(dtype_, Dims{in[0].has_rank() ? in[0].dim(0) : Dim(), samples_})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<MultinomialKernel<T>>(seed_, in.shape(0), in.output_shape(0));
    });
  }

  bool deterministic() const override { return false; }

 private:
  std::optional<float> seed_;
  int64_t samples_;
  DType dtype_;
};

}  // namespace

LINNET_REGISTER(multinomial)(Registry& registry) { registry.add<Multinomial>("Multinomial", {.since = 7}); }

}  // namespace linnet
