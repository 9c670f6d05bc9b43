#include "elements/dispatch.h"
#include "elements/small_float.h"
#include "elements/wide.h"
#include "generator/random.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "movement/copy.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// A tensor of one element, 1 or true.
Tensor one_of(DType dtype) {
  Tensor one(dtype, Shape{1});
  const Wide value{.i = 1};
  wide_writer(WideKind::kSigned, dtype)(&value, one.raw(), 0, 1);
  return one;
}

/// y = x, with a mask of ones if requested.
class InferenceKernel final : public Kernel {
 public:
  explicit InferenceKernel(const CompileInput& in) {
    if (in.has_output(1)) one_ = one_of(in.output_dtype(1));
  }

  void run(KernelContext& context) const override {
    if (context.output(0).raw() != context.input(0).raw()) {
      copy_tensor(context.input(0), context.output(0), context.executor());
    }
    if (one_) fill_tensor(one_, context.output(1), context.executor());
  }
  int view(int output) const override { return output == 0 ? 0 : -1; }

 private:
  Tensor one_;
};

/// y = x / (1 - ratio) for elements that are kept, 0 for those that are dropped; ratio and training_mode are read at
/// run time. T is a floating-point type, or uint8_t for float8.
template <class T>
class TrainingKernel final : public RandomKernel {
 public:
  TrainingKernel(const CompileInput& in, std::optional<float> seed)
      : RandomKernel(seed), dtype_(in.dtype(0)), has_ratio_(in.has(1)), has_mask_(in.has_output(1)) {
    if (has_ratio_) read_ratio_ = wide_reader(in.dtype(1));
  }

 private:
  void fill(KernelContext& context, const RandomStream& stream) const override {
    const double ratio = *context.input(2).data<bool>() ? ratio_of(context) : 0.0;
    const Tensor& x = context.input(0);
    const T* from = static_cast<const T*>(x.raw());
    T* to = static_cast<T*>(context.output(0).raw());
    bool* mask = has_mask_ ? context.output(1).data<bool>() : nullptr;
    parallel_items(context.executor(), x.size(), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const bool keep = stream.uniform(uint64_t(i)) >= ratio;
        to[i] = keep ? scaled(from[i], 1 / (1 - ratio)) : T(0);
        if (mask) mask[i] = keep;
      }
    });
  }

  T scaled(T x, double scale) const {
    if constexpr (std::is_same_v<T, uint8_t>) {
      return encode_small_float(dtype_, scale * decode_small_float(dtype_, x), {});
    } else {
      return static_cast<T>(scale) * x;
    }
  }

  double ratio_of(KernelContext& context) const {
    if (!has_ratio_) return 0.5;
    Wide ratio;
    read_ratio_(context.input(1).raw(), 0, 1, &ratio);
    if (ratio.d >= 0 && ratio.d < 1) return ratio.d;
    throw Error(ErrorKind::kModel, str("ratio must be in [0, 1), got ", ratio.d));
  }

  DType dtype_;
  bool has_ratio_, has_mask_;
  WideReader read_ratio_;
};

/// Dropout: y = x and a mask of ones. With training_mode (an input since opset 12), y is 0 with the probability
/// `ratio`, where the mask is false, else x / (1 - ratio). Older opsets always run for inference.
/// - x, y: any dtype for inference, floating-point of a byte or more for training
/// - mask: bool; before opset 10 of x's dtype
/// - ratio (0.5): floating-point or float8, one element
/// - seed: an attribute; by default that of the context
/// Source: https://onnx.ai/onnx/operators/onnx__Dropout.html
class Dropout final : public Op {
 public:
  explicit Dropout(const NodeSpec& node)
      : outputs_(node.num_outputs), opset_(node.opset), may_train_(node.opset >= 12 && node.num_inputs >= 3) {
    if (node.has("seed")) seed_ = static_cast<float>(node.attr<int64_t>("seed"));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, opset_ >= 12 ? 3 : 1);
    for (size_t i = 1; i < in.size(); ++i) require_one_element(in[i], i == 1 ? "ratio" : "training_mode");
    if (has_input(in, 1) && !is_small_float(in[1].dtype)) require_floating(in[1], "ratio");
    if (has_input(in, 2)) require_dtype(in[2], DType::kBool, "training_mode");
    std::vector<Fact> out = same_as(in[0]);
    if (outputs_ > 1) out.emplace_back(opset_ >= 10 ? DType::kBool : in[0].dtype, in[0].dims);
    return out;
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Tensor* training = in.constant(2);
    if (!in.has(2) || (training && !*training->data<bool>())) {
      return std::make_unique<InferenceKernel>(in);
    }
    if (is_float8(in.dtype(0))) return std::make_unique<TrainingKernel<uint8_t>>(in, seed_);
    return dispatch_float(in.dtype(0),
                          [&]<class T>() -> KernelPtr { return std::make_unique<TrainingKernel<T>>(in, seed_); });
  }

  bool deterministic() const override { return !may_train_; }

 private:
  int outputs_;
  int64_t opset_;
  bool may_train_;
  std::optional<float> seed_;
};

}  // namespace

LINNET_REGISTER(dropout)(Registry& registry) { registry.add<Dropout>("Dropout"); }

}  // namespace linnet
