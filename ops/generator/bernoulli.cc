#include "elements/dispatch.h"
#include "generator/random.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "op_list.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

using ReadNumber = double (*)(const void* x, int64_t i);
using WriteFlag = void (*)(void* y, int64_t i, bool flag);

class BernoulliKernel final : public RandomKernel {
 public:
  BernoulliKernel(std::optional<float> seed, ReadNumber read, WriteFlag write)
      : RandomKernel(seed), read_(read), write_(write) {}

 private:
  void fill(KernelContext& context, const RandomStream& stream) const override {
    const void* x = context.input(0).raw();
    void* y = context.output(0).raw();
    parallel_items(context.executor(), context.output(0).size(), 8, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) write_(y, i, stream.uniform(uint64_t(i)) < read_(x, i));
    });
  }

  ReadNumber read_;
  WriteFlag write_;
};

template <class T>
void write_flag(void* y, int64_t i, bool flag) {
  static_cast<T*>(y)[i] = stored<T>(flag);
}

/// Bernoulli: 1 with the probability that the input's element says, else 0.
/// input: float16/bfloat16/float/double in [0, 1]. output: numbers or bool, by the attribute dtype, else the input's.
/// With a seed, run n of every context gives the same numbers.
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
    const ReadNumber read = dispatch_float(in.dtype(0), []<class T>() -> ReadNumber {
      return [](const void* x, int64_t i) { return double(static_cast<const T*>(x)[i]); };
    });
    const DType output = in.output_dtype(0);
    const WriteFlag write = output == DType::kBool
                                ? WriteFlag(write_flag<bool>)
                                : dispatch_stored(output, []<class T>() -> WriteFlag { return write_flag<T>; });
    return std::make_unique<BernoulliKernel>(seed_, read, write);
  }

  bool deterministic() const override { return false; }

 private:
  std::optional<float> seed_;
  DType dtype_;
};

}  // namespace

void register_bernoulli(Registry& registry) { registry.add<Bernoulli>("Bernoulli", {.since = 15}); }

}  // namespace linnet
