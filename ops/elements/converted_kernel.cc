#include <algorithm>
#include <array>

#include "elements/bit_stream.h"
#include "elements/half_precision.h"
#include "elements/packed_elements.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "tensor/alignment.h"
#include "tensor/wide.h"

namespace linnet {
namespace {

constexpr int64_t kChunk = 16 * 1024;
constexpr size_t kMostValues = 8;

/// Which values of a node its inner kernel sees in another dtype, and how they are converted to it and back.
struct Conversion {
  const char* name;
  DType inner;
  bool (*applies)(DType);
  void (*convert)(const Tensor& from, Tensor& to, Executor& executor);
};

template <class From, class To>
void convert_as(const Tensor& from, Tensor& to, Executor& executor) {
  const From* x = from.data<From>();
  To* y = to.data<To>();
  const int64_t n = from.size();
  executor.parallel_for(ceil_div(n, kChunk), [&](int64_t chunk, int) {
    const int64_t end = std::min(n, (chunk + 1) * kChunk);
    for (int64_t i = chunk * kChunk; i < end; ++i) y[i] = To(float(x[i]));
  });
}

/// float16 or bfloat16 to or from float32.
void convert_half(const Tensor& from, Tensor& to, Executor& executor) {
  const bool widen = to.dtype() == DType::kFloat32;
  const bool bfloat = (widen ? from : to).dtype() == DType::kBFloat16;
  if (widen)
    return bfloat ? convert_as<BFloat16, float>(from, to, executor) : convert_as<Half, float>(from, to, executor);
  return bfloat ? convert_as<float, BFloat16>(from, to, executor) : convert_as<float, Half>(from, to, executor);
}

constexpr Conversion kInFloat32{"float32", DType::kFloat32, is_half, convert_half};

bool is_narrow(DType dtype) { return is_half(dtype) || dtype == DType::kFloat32; }

/// Between float64 and narrower floats.
void convert_wide(const Tensor& from, Tensor& to, Executor& executor) {
  const WideReader read = wide_reader(from.dtype());
  const WideWriter write = wide_writer(WideKind::kReal, to.dtype());
  parallel_items(executor, from.size(), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      Wide value;
      read(from.raw(), i, 1, &value);
      write(&value, to.raw(), i, 1);
    }
  });
}

constexpr Conversion kInFloat64{"float64", DType::kFloat64, is_narrow, convert_wide};

bool is_packed(DType dtype) { return dtype_bits(dtype) < 8; }

void unpack(const Tensor& from, Tensor& to, Executor& executor) {
  const int bits = dtype_bits(from.dtype());
  uint8_t* y = to.data<uint8_t>();
  parallel_items(executor, from.size(), 1, [&](int64_t i, int64_t end, int) {
    for (; i < end; ++i) y[i] = uint8_t(code_at(from.raw(), i, bits));
  });
}

void pack(const Tensor& from, Tensor& to, Executor& executor) {
  const int bits = dtype_bits(to.dtype());
  const uint8_t* x = from.data<uint8_t>();
  parallel_items(executor, from.size(), 1, [&](int64_t begin, int64_t end, int) {
    write_codes(to.raw(), begin, end - begin, bits, [&](int64_t i) { return unsigned{x[begin + i]}; });
  });
}

constexpr Conversion kUnpacked{"unpacked", DType::kUint8, is_packed, [](const Tensor& from, Tensor& to, Executor& e) {
                                 is_packed(from.dtype()) ? unpack(from, to, e) : pack(from, to, e);
                               }};

/// A value that the inner kernel sees in another dtype: a constant, or in worker 0's scratch at `offset`.
struct Converted {
  bool active = false;
  Shape shape{};
  size_t offset = 0;
  Tensor constant{};
};
using ConvertedValues = std::array<Converted, kMostValues>;

class ConvertedContext final : public KernelContext {
 public:
  ConvertedContext(KernelContext& outer, DType dtype, const ConvertedValues& inputs, const ConvertedValues& outputs)
      : outer_(outer), dtype_(dtype) {
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
    return value.active ? Tensor::wrap(dtype_, value.shape, outer_.scratch(0) + value.offset) : Tensor();
  }

  KernelContext& outer_;
  DType dtype_;
  std::array<Tensor, kMostValues> inputs_, outputs_;
};

class ConvertedKernel final : public Kernel {
 public:
  ConvertedKernel(const Conversion& conversion, const CompileInput& in,
                  const std::function<KernelPtr(const CompileInput&)>& compile)
      : conversion_(conversion) {
    if (size_t(std::max(in.num_inputs(), in.num_outputs())) > kMostValues) {
      throw Error(ErrorKind::kInternal, str("more than ", kMostValues, " values of a node to convert"));
    }
    std::vector<Fact> input_facts, output_facts;
    for (int i = 0; i < in.num_inputs(); ++i) input_facts.push_back(add(in, in.fact(i), inputs_[size_t(i)]));
    for (int i = 0; i < in.num_outputs(); ++i) output_facts.push_back(add(in, in.output_fact(i), outputs_[size_t(i)]));
    inner_ = compile(CompileInput(input_facts, output_facts, in.resources()));
    const size_t inner_bytes = aligned(inner_->scratch_bytes());
    for (ConvertedValues* values : {&inputs_, &outputs_}) {
      for (Converted& value : *values) value.offset += inner_bytes;
    }
    bytes_ += inner_bytes;
  }

  void run(KernelContext& outer) const override {
    ConvertedContext context(outer, conversion_.inner, inputs_, outputs_);
    for (size_t i = 0; i < kMostValues; ++i) {
      if (inputs_[i].active) conversion_.convert(outer.input(int(i)), context.converted_input(i), outer.executor());
    }
    inner_->run(context);
    for (size_t i = 0; i < kMostValues; ++i) {
      if (outputs_[i].active) conversion_.convert(context.output(int(i)), outer.output(int(i)), outer.executor());
    }
  }

  size_t scratch_bytes() const override { return bytes_; }
  bool reads(int input) const override { return !inputs_[size_t(input)].constant && inner_->reads(input); }
  std::string describe() const override {
    return inner_->describe() + ", converting to " + conversion_.name + " and back";
  }

 private:
  /// The fact as the inner kernel sees it.
  Fact add(const CompileInput& in, const Fact& fact, Converted& value) {
    if (!fact.present() || !conversion_.applies(fact.dtype)) return fact;
    if (fact.constant) {
      value.constant = in.packed(fact.constant, {conversion_.name}, [&] { return converted(fact.constant); });
      return Fact(value.constant);
    }
    value.active = true;
    value.shape = fact.shape();
    value.offset = bytes_;
    bytes_ += aligned(dtype_bytes(conversion_.inner, value.shape.elements()));
    return Fact(conversion_.inner, value.shape);
  }

  Tensor converted(const Tensor& tensor) const {
    Tensor result(conversion_.inner, tensor.shape());
    conversion_.convert(tensor, result, *make_serial_executor());
    return result;
  }

  const Conversion& conversion_;
  ConvertedValues inputs_, outputs_;
  size_t bytes_ = 0;
  KernelPtr inner_;
};

}  // namespace

KernelPtr compile_in_float32(const CompileInput& in, const std::function<KernelPtr(const CompileInput&)>& compile) {
  bool any = false;
  for (int i = 0; i < in.num_inputs(); ++i) any = any || is_half(in.dtype(i));
  for (int i = 0; i < in.num_outputs(); ++i) any = any || is_half(in.output_dtype(i));
  return any ? KernelPtr(std::make_unique<ConvertedKernel>(kInFloat32, in, compile)) : compile(in);
}

KernelPtr compile_in_float64(const CompileInput& in, const std::function<KernelPtr(const CompileInput&)>& compile) {
  return std::make_unique<ConvertedKernel>(kInFloat64, in, compile);
}

bool has_packed(const CompileInput& in) {
  for (int i = 0; i < in.num_outputs(); ++i) {
    if (in.has_output(i) && is_packed(in.output_dtype(i))) return true;
  }
  return false;
}

KernelPtr compile_unpacked(const CompileInput& in, const std::function<KernelPtr(const CompileInput&)>& compile) {
  return std::make_unique<ConvertedKernel>(kUnpacked, in, compile);
}

}  // namespace linnet
