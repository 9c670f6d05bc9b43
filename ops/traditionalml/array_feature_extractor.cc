#include "elements/dispatch.h"
#include "indexing/indices.h"
#include "infer/infer.h"
#include "movement/copy.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr DType kExtractedTypes[] = {DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kInt32, DType::kString};

/// Writes the elements of each row of x at the `count` indices.
template <class T>
void extract(const void* x_data, int64_t columns, const int64_t* indices, int64_t count, int64_t rows, void* z_data) {
  const T* x = static_cast<const T*>(x_data);
  T* __restrict z = static_cast<T*>(z_data);
  for (int64_t r = 0; r < rows; ++r, x += columns, z += count) {
    for (int64_t j = 0; j < count; ++j) z[j] = x[indices[j]];
  }
}

class ArrayFeatureExtractorKernel final : public Kernel {
 public:
  explicit ArrayFeatureExtractorKernel(const CompileInput& in)
      : extract_(dispatch_width(in.dtype(0), []<class T>() -> Extract { return extract<T>; })),
        bytes_(element_bytes(in.dtype(0))),
        columns_(in.shape(0)[in.rank(0) - 1]),
        rows_(in.shape(0).elements(0, in.rank(0) - 1)) {}

  void run(KernelContext& context) const override {
    const int64_t* indices = context.input(1).data<int64_t>();
    const int64_t n = context.input(1).size();
    for (int64_t i = 0; i < n; ++i) {
      if (indices[i] < 0) throw_index(indices[i], columns_, 1);
    }
    check_indices(Indices(context.input(1)), columns_, 1);
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* z = static_cast<std::byte*>(context.output(0).raw());
    parallel_items(context.executor(), rows_, n, [&](int64_t begin, int64_t end, int) {
      extract_(x + begin * columns_ * bytes_, columns_, indices, n, end - begin, z + begin * n * bytes_);
    });
  }

 private:
  using Extract = decltype(&extract<float>);

  Extract extract_;
  int64_t bytes_, columns_, rows_;
};

/// ArrayFeatureExtractor: the elements of X along its last axis at the indices Y, in Y's order.
/// X: float32, float64, int64, int32 or string [..., C].
/// Y: int64 of n elements in [0, C), checked when the model runs.
/// Z: [..., n], but [1, n] if X is [C], as in ONNX Runtime.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_ArrayFeatureExtractor.html
class ArrayFeatureExtractor final : public Op {
 public:
  explicit ArrayFeatureExtractor(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype_in(in[0], kExtractedTypes, "X");
    require_dtype(in[1], DType::kInt64, "Y");
    require_rank_at_least(in[0], 1, "X");
    if (!in[0].has_rank()) return {Fact(in[0].dtype, std::nullopt)};
    Dims dims = in[0].rank() == 1 ? Dims(2, Dim(1)) : *in[0].dims;
    dims.back() = in[1].has_rank() ? product_of(*in[1].dims) : Dim();
    return {Fact(in[0].dtype, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override { return std::make_unique<ArrayFeatureExtractorKernel>(in); }
};

}  // namespace

LINNET_REGISTER(array_feature_extractor)(Registry& registry) {
  registry.add<ArrayFeatureExtractor>("ArrayFeatureExtractor", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
