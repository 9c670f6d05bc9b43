#include "half_precision.h"

#include <algorithm>
#include <array>

namespace linnet {
namespace {

constexpr int64_t kChunk = 16 * 1024;
constexpr size_t kMostValues = 8;

bool is_half(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

template <class From, class To>
void convert_as(const Tensor& from, Tensor& to, Executor& executor) {
  const From* x = from.data<From>();
  To* y = to.data<To>();
  const int64_t n = from.size();
  executor.parallel_for((n + kChunk - 1) / kChunk, [&](int64_t chunk, int) {
    const int64_t end = std::min(n, (chunk + 1) * kChunk);
    for (int64_t i = chunk * kChunk; i < end; ++i) y[i] = To(float(x[i]));
  });
}

/// To or from float32.
void convert(const Tensor& from, Tensor& to, Executor& executor) {
  const bool widen = to.dtype() == DType::kFloat32;
  const bool bfloat = (widen ? from : to).dtype() == DType::kBFloat16;
  if (widen)
    return bfloat ? convert_as<BFloat16, float>(from, to, executor) : convert_as<Half, float>(from, to, executor);
  return bfloat ? convert_as<float, BFloat16>(from, to, executor) : convert_as<float, Half>(from, to, executor);
}

/// A value that the inner kernel sees as float32: a constant, or in worker 0's scratch at `offset`.
struct Converted {
  bool active = false;
  Shape shape{};
  size_t offset = 0;
  Tensor constant{};
};
using ConvertedValues = std::array<Converted, kMostValues>;

class Float32Context final : public KernelContext {
 public:
  Float32Context(KernelContext& outer, const ConvertedValues& inputs, const ConvertedValues& outputs) : outer_(outer) {
    for (size_t i = 0; i < kMostValues; ++i) {
      inputs_[i] = view(inputs[i]);
      outputs_[i] = view(outputs[i]);
    }
  }

  Tensor& converted_input(size_t i) { return inputs_[i]; }
  const Tensor& input(int i) const override { return inputs_[size_t(i)] ? inputs_[size_t(i)] : outer_.input(i); }
  Tensor& output(int i) override { return outputs_[size_t(i)] ? outputs_[size_t(i)] : outer_.output(i); }
  Tensor& allocate_output(int i, const Shape& shape) override { return outer_.allocate_output(i, shape); }
  void set_output(int i, const Tensor& value) override { outer_.set_output(i, value); }
  std::byte* scratch(int worker) override { return outer_.scratch(worker); }
  KernelState* state() override { return outer_.state(); }
  Executor& executor() override { return outer_.executor(); }
  RunEnvironment& environment() override { return outer_.environment(); }

 private:
  Tensor view(const Converted& value) {
    if (value.constant) return value.constant;
    return value.active ? Tensor::wrap(DType::kFloat32, value.shape, outer_.scratch(0) + value.offset) : Tensor();
  }

  KernelContext& outer_;
  std::array<Tensor, kMostValues> inputs_, outputs_;
};

class Float32Kernel final : public Kernel {
 public:
  Float32Kernel(const CompileInput& in, const std::function<KernelPtr(const CompileInput&)>& compile) {
    std::vector<Fact> input_facts, output_facts;
    for (int i = 0; i < in.num_inputs(); ++i) input_facts.push_back(add(in, in.fact(i), inputs_[size_t(i)]));
    for (int i = 0; i < in.num_outputs(); ++i) output_facts.push_back(add(in, in.output_fact(i), outputs_[size_t(i)]));
    inner_ = compile(CompileInput(input_facts, output_facts, in.environment()));
    const size_t inner_bytes = (inner_->scratch_bytes() + 63) / 64 * 64;
    for (ConvertedValues* values : {&inputs_, &outputs_}) {
      for (Converted& value : *values) value.offset += inner_bytes;
    }
    bytes_ += inner_bytes;
  }

  void run(KernelContext& outer) const override {
    Float32Context context(outer, inputs_, outputs_);
    for (size_t i = 0; i < kMostValues; ++i) {
      if (inputs_[i].active) convert(outer.input(int(i)), context.converted_input(i), outer.executor());
    }
    inner_->run(context);
    for (size_t i = 0; i < kMostValues; ++i) {
      if (outputs_[i].active) convert(context.output(int(i)), outer.output(int(i)), outer.executor());
    }
  }

  size_t scratch_bytes() const override { return bytes_; }
  std::string describe() const override { return inner_->describe() + ", converting to float32 and back"; }

 private:
  /// The fact as the inner kernel sees it.
  Fact add(const CompileInput& in, const Fact& fact, Converted& value) {
    if (!is_half(fact.dtype)) return fact;
    if (fact.constant) {
      value.constant = in.packed(fact.constant, "float32", [&] { return widened(fact.constant); });
      return Fact(value.constant);
    }
    value.active = true;
    value.shape = fact.shape();
    value.offset = bytes_;
    bytes_ += (dtype_bytes(DType::kFloat32, value.shape.elements()) + 63) / 64 * 64;
    return Fact(DType::kFloat32, value.shape);
  }

  static Tensor widened(const Tensor& tensor) {
    Tensor result(DType::kFloat32, tensor.shape());
    convert(tensor, result, *make_serial_executor());
    return result;
  }

  ConvertedValues inputs_, outputs_;
  size_t bytes_ = 0;
  KernelPtr inner_;
};

}  // namespace

KernelPtr compile_in_float32(const CompileInput& in, const std::function<KernelPtr(const CompileInput&)>& compile) {
  bool any = false;
  for (int i = 0; i < in.num_inputs(); ++i) any = any || is_half(in.dtype(i));
  for (int i = 0; i < in.num_outputs(); ++i) any = any || is_half(in.output_dtype(i));
  return any ? KernelPtr(std::make_unique<Float32Kernel>(in, compile)) : compile(in);
}

}  // namespace linnet
