#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "pool/indexed_max_pool.h"
#include "pool/plane_pool.h"
#include "pool/pool_scalar.h"
#include "pool/window_pool.h"
#include "registration.h"

namespace linnet {
namespace {

template <class T>
struct Largest {
  T best = kLowest<T>;
  void add(T value) {
    const T larger = value > best ? value : best;
    best = value != value ? value : larger;
  }
};

template <class T>
class MaxPoolKernel final : public Kernel {
 public:
  explicit MaxPoolKernel(PoolShape shape) : shape_(std::move(shape)) {}

  void run(KernelContext& context) const override {
    T* y = context.output(0).data<T>();
    pool_scalar(shape_, context.input(0).data<T>(), Largest<T>{}, context.executor(),
                [&](int64_t i, const Largest<T>& state, int64_t, int64_t) { y[i] = state.best; });
  }

 private:
  PoolShape shape_;
};

/// MaxPool: the largest element of each window, or NaN where a window contains one. GlobalMaxPool: that of each
/// channel.
/// X, Y: float16/bfloat16/float/double/int8/uint8 [N,C,1 to 3 spatial axes]. Indices (optional): int64, the position of
/// the element in the flattened X. With storage_order 1 the spatial axes are counted in reverse order. In domain
/// "linnet" X and Y are channels-last, and there are no Indices.
/// Source: https://onnx.ai/onnx/operators/onnx__MaxPool.html
/// Source: https://onnx.ai/onnx/operators/onnx__GlobalMaxPool.html
class MaxPool final : public Op {
 public:
  explicit MaxPool(const NodeSpec& node)
      : attributes_(node, node.op_type == "GlobalMaxPool"),
        outputs_(node.num_outputs),
        by_columns_(node.attr_or("storage_order", false)) {
    if (attributes_.channels_last() && outputs_ > 1) {
      throw Error(ErrorKind::kUnsupported, "MaxPool of channels-last data gives no Indices");
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    static constexpr std::array kTypes{DType::kFloat32,  DType::kFloat64, DType::kFloat16,
                                       DType::kBFloat16, DType::kInt8,    DType::kUint8};
    require_dtype_in(in[0], kTypes, "X");
    const std::optional<Dims> dims = attributes_.output_dims(in[0]);
    std::vector<Fact> facts{Fact(in[0].dtype, dims)};
    if (outputs_ > 1) facts.push_back(Fact(DType::kInt64, dims));
    return facts;
  }

  KernelPtr compile(const CompileInput& in) const override {
    PoolShape shape = attributes_.shape(in.shape(0));
    const bool indices = in.has_output(1);
    const bool vectors = in.dtype(0) == DType::kFloat32 || in.dtype(0) == DType::kInt8 || in.dtype(0) == DType::kUint8;
    if (vectors && attributes_.global() && !indices) {
      return make_global_pool(PoolKind::kMax, shape, in.dtype(0), in.isa());
    }
    if (vectors && shape.channels_last) {
      return make_window_pool(PoolKind::kMax, std::move(shape), in.dtype(0), in.isa());
    }
    if (indices) return make_indexed_max_pool(std::move(shape), by_columns_, in.dtype(0));
    if (takes_planes(PoolKind::kMax, shape, in.dtype(0))) {
      return make_plane_pool(PoolKind::kMax, std::move(shape), in.dtype(0), in.isa());
    }
    const auto make = [&]<class T>() -> KernelPtr { return std::make_unique<MaxPoolKernel<T>>(std::move(shape)); };
    if (in.dtype(0) == DType::kInt8) return make.operator()<int8_t>();
    if (in.dtype(0) == DType::kUint8) return make.operator()<uint8_t>();
    return dispatch_float(in.dtype(0), make);
  }

 private:
  PoolAttributes attributes_;
  int outputs_;
  bool by_columns_;
};

}  // namespace

LINNET_REGISTER(max_pool)(Registry& registry) {
  for (const char* name : {"MaxPool", "GlobalMaxPool"}) {
    registry.add<MaxPool>(name, {.since = 1});
    registry.add<MaxPool>(name, {.since = 1, .domain = kInternalDomain});
  }
}

}  // namespace linnet
