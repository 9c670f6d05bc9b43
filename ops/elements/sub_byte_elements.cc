#include "elements/sub_byte_elements.h"

#include <algorithm>
#include <array>

#include "compile/compile_input.h"
#include "elements/bit_stream.h"
#include "environment/run_environment.h"
#include "partition/parallel.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr size_t kMostValues = 8;

bool is_sub_byte(DType dtype) { return dtype_bits(dtype) < 8; }

void widen(const Tensor& from, Tensor& to, Executor& executor) {
  const int bits = dtype_bits(from.dtype());
  uint8_t* y = to.data<uint8_t>();
  parallel_items(executor, from.size(), 1, [&](int64_t i, int64_t end, int) {
    for (; i < end; ++i) y[i] = uint8_t(code_at(from.raw(), i, bits));
  });
}

void narrow(const Tensor& from, Tensor& to, Executor& executor) {
  const int bits = dtype_bits(to.dtype());
  const uint8_t* x = from.data<uint8_t>();
  parallel_items(executor, from.size(), 1, [&](int64_t begin, int64_t end, int) {
    write_codes(to.raw(), begin, end - begin, bits, [&](int64_t i) { return unsigned{x[begin + i]}; });
  });
}

/// A value that the inner kernel reads or writes widened: a constant, or at `offset` in worker 0's scratch.
struct Widened {
  bool active = false;
  Shape shape{};
  size_t offset = 0;
  Tensor constant{};
};
using WidenedValues = std::array<Widened, kMostValues>;

class WidenedContext final : public RunContext {
 public:
  WidenedContext(KernelContext& outer, const WidenedValues& inputs, const WidenedValues& outputs)
      : RunContext(run_environment(outer)), outer_(outer) {
    for (size_t i = 0; i < kMostValues; ++i) {
      inputs_[i] = view(inputs[i]);
      outputs_[i] = view(outputs[i]);
    }
  }

  Tensor& widened_input(size_t i) { return inputs_[i]; }
  const Tensor& input(int i) const override { return inputs_[size_t(i)] ? inputs_[size_t(i)] : outer_.input(i); }
  Tensor& output(int i) override { return outputs_[size_t(i)] ? outputs_[size_t(i)] : outer_.output(i); }
  Tensor& allocate_output(int i, const Shape& shape) override { return outer_.allocate_output(i, shape); }
  void set_output(int i, const Tensor& value) override { outer_.set_output(i, value); }
  std::byte* scratch(int worker) override { return outer_.scratch(worker); }
  KernelState* state() override { return outer_.state(); }

 private:
  Tensor view(const Widened& value) {
    if (value.constant) return value.constant;
    return value.active ? Tensor::wrap(DType::kUint8, value.shape, outer_.scratch(0) + value.offset) : Tensor();
  }

  KernelContext& outer_;
  std::array<Tensor, kMostValues> inputs_, outputs_;
};

class WidenedKernel final : public Kernel {
 public:
  WidenedKernel(const CompileInput& in, const std::function<KernelPtr(const CompileInput&)>& compile) {
    if (size_t(std::max(in.num_inputs(), in.num_outputs())) > kMostValues) {
      throw Error(ErrorKind::kInternal, str("more than ", kMostValues, " values of a node to widen"));
    }
    std::vector<Fact> input_facts, output_facts;
    for (int i = 0; i < in.num_inputs(); ++i) input_facts.push_back(add(in, in.fact(i), inputs_[size_t(i)]));
    for (int i = 0; i < in.num_outputs(); ++i) output_facts.push_back(add(in, in.output_fact(i), outputs_[size_t(i)]));
    inner_ = compile(ModelCompileInput(input_facts, output_facts, in));
    const size_t inner_bytes = aligned(inner_->scratch_bytes());
    for (WidenedValues* values : {&inputs_, &outputs_}) {
      for (Widened& value : *values) value.offset += inner_bytes;
    }
    bytes_ += inner_bytes;
  }

  void run(KernelContext& outer) const override {
    WidenedContext context(outer, inputs_, outputs_);
    for (size_t i = 0; i < kMostValues; ++i) {
      if (inputs_[i].active) widen(outer.input(int(i)), context.widened_input(i), outer.executor());
    }
    inner_->run(context);
    for (size_t i = 0; i < kMostValues; ++i) {
      if (outputs_[i].active) narrow(context.output(int(i)), outer.output(int(i)), outer.executor());
    }
  }

  size_t scratch_bytes() const override { return bytes_; }
  bool reads(int input) const override { return !inputs_[size_t(input)].constant && inner_->reads(input); }
  std::string describe() const override { return inner_->describe() + ", widening and narrowing"; }

 private:
  /// The fact of a value for the inner kernel.
  Fact add(const CompileInput& in, const Fact& fact, Widened& value) {
    if (!fact.present() || !is_sub_byte(fact.dtype)) return fact;
    if (fact.constant) {
      value.constant = in.packed(fact.constant, {"widened"}, [&] { return widened(fact.constant); });
      return Fact(value.constant);
    }
    value.active = true;
    value.shape = fact.shape();
    value.offset = bytes_;
    bytes_ += aligned(dtype_bytes(DType::kUint8, value.shape.elements()));
    return Fact(DType::kUint8, value.shape);
  }

  static Tensor widened(const Tensor& tensor) {
    Tensor result(DType::kUint8, tensor.shape());
    widen(tensor, result, *make_serial_executor());
    return result;
  }

  WidenedValues inputs_, outputs_;
  size_t bytes_ = 0;
  KernelPtr inner_;
};

}  // namespace

bool has_sub_byte(const CompileInput& in) {
  for (int i = 0; i < in.num_outputs(); ++i) {
    if (in.has_output(i) && is_sub_byte(in.output_dtype(i))) return true;
  }
  return false;
}

KernelPtr compile_widened(const CompileInput& in, const std::function<KernelPtr(const CompileInput&)>& compile) {
  return std::make_unique<WidenedKernel>(in, compile);
}

}  // namespace linnet
