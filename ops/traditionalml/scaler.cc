#include "infer/infer.h"
#include "partition/parallel.h"
#include "registration.h"
#include "tensor/counted_vector.h"
#include "traditionalml/attribute_list.h"
#include "traditionalml/feature_rows.h"

namespace linnet {
namespace {

class ScalerKernel final : public Kernel {
 public:
  ScalerKernel(const CompileInput& in, CountedVector<float> offset, CountedVector<float> scale)
      : read_(read_numbers_of(in.dtype(0))),
        scale_block_(in.dtype(0) == DType::kFloat64 ? &ScalerKernel::scale<double> : &ScalerKernel::scale<float>),
        size_(in.shape(0).elements()),
        offset_(std::move(offset)),
        scale_(std::move(scale)) {}

  void run(KernelContext& context) const override {
    const void* x = context.input(0).raw();
    float* y = context.output(0).data<float>();
    parallel_items(context.executor(), size_, 1, [&](int64_t begin, int64_t end, int) {
      double block[kBlock];
      for (int64_t at = begin; at < end; at += kBlock) {
        const int64_t n = std::min(kBlock, end - at);
        read_(x, at, n, block);
        (this->*scale_block_)(block, at, n, y + at);
      }
    });
  }

 private:
  static constexpr int64_t kBlock = 256;

  /// Scales n elements, of which the first is element `begin` of X. Rounds as ONNX Runtime does, because trees compare
  /// the results with thresholds that some equal exactly.
  template <class T>
  void scale(const double* x, int64_t begin, int64_t n, float* y) const {
    size_t o = size_t(begin) % offset_.size(), s = size_t(begin) % scale_.size();
    for (int64_t i = 0; i < n; ++i) {
      y[i] = float((T(x[i]) - T(offset_[o])) * T(scale_[s]));
      if (++o == offset_.size()) o = 0;
      if (++s == scale_.size()) s = 0;
    }
  }

  ReadNumbers read_;
  void (ScalerKernel::*scale_block_)(const double*, int64_t, int64_t, float*) const;
  int64_t size_;
  CountedVector<float> offset_, scale_;
};

/// Scaler: Y = (X - offset) * scale, with one offset and scale for all features or one for each. Without the
/// attributes, they are 0 and 1.
/// X: float32, float64, int64 or int32, any shape.
/// Y: float32.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_Scaler.html
class Scaler final : public Op {
 public:
  explicit Scaler(const NodeSpec& node)
      : offset_(attribute_list<float>(node, "offset")), scale_(attribute_list<float>(node, "scale")) {
    if (!offset_.empty() && !scale_.empty()) require_length("scale", scale_.size(), int64_t(offset_.size()));
    if (offset_.empty()) offset_ = {0};
    if (scale_.empty()) scale_ = {1};
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype_in(in[0], kMlNumbers, "X");
    for (const CountedVector<float>* values : {&offset_, &scale_}) {
      if (values->size() == 1 || !in[0].has_rank()) continue;
      require_rank_at_least(in[0], 1, "X");
      merge_dim(feature_dim(in[0]), int64_t(values->size()), "features and values of offset and scale");
    }
    return {Fact(DType::kFloat32, in[0].dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<ScalerKernel>(in, offset_, scale_);
  }

 private:
  CountedVector<float> offset_, scale_;
};

}  // namespace

LINNET_REGISTER(scaler)(Registry& registry) { registry.add<Scaler>("Scaler", {.since = 1, .domain = "ai.onnx.ml"}); }

}  // namespace linnet
