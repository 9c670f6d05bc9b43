#include <algorithm>
#include <array>
#include <limits>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "op_list.h"
#include "pool/plane_pool.h"
#include "pool/pool_scalar.h"
#include "pool/window_pool.h"

namespace linnet {
namespace {

template <class T>
struct Largest {
  T best =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  int64_t offset = -1;  ///< none yet

  void add(T value, int64_t at) {
    if (offset >= 0 && !(value > best || value != value)) return;
    best = value;
    offset = at;
  }
};

/// The index of an element counted with the spatial axes in reverse order (storage_order 1).
int64_t column_major(const PoolShape& s, int64_t offset) {
  const int64_t x = offset % s.axes[2].in, y = offset / s.axes[2].in % s.axes[1].in;
  const int64_t z = offset / s.axes[2].in / s.axes[1].in % s.axes[0].in, plane = offset / s.in_pixels();
  return plane * s.in_pixels() + (x * s.axes[1].in + y) * s.axes[0].in + z;
}

template <class T>
class MaxPoolKernel final : public Kernel {
 public:
  MaxPoolKernel(PoolShape shape, bool has_indices, bool by_columns)
      : shape_(std::move(shape)), has_indices_(has_indices), by_columns_(by_columns) {}

  void run(KernelContext& context) const override {
    T* y = context.output(0).data<T>();
    int64_t* indices = has_indices_ ? context.output(1).data<int64_t>() : nullptr;
    pool_scalar(shape_, context.input(0).data<T>(), Largest<T>{}, context.executor(),
                [&](int64_t i, const Largest<T>& state, int64_t, int64_t) {
                  y[i] = state.best;
                  const int64_t offset = std::max<int64_t>(0, state.offset);
                  if (indices) indices[i] = by_columns_ ? column_major(shape_, offset) : offset;
                });
  }

 private:
  PoolShape shape_;
  bool has_indices_, by_columns_;
};

/// MaxPool: the largest element of each window; NaN where a window holds one. GlobalMaxPool: that of each channel.
/// X, Y: float16/bfloat16/float/double/int8/uint8 [N,C,1 to 3 spatial axes]; int64 Indices (optional): where in the
/// flattened X the element is, with storage_order 1 counted with the spatial axes in reverse order.
/// In domain "linnet" X and Y are channels-last, and there are no Indices.
/// Source: https://onnx.ai/onnx/operators/onnx__MaxPool.html, https://onnx.ai/onnx/operators/onnx__GlobalMaxPool.html
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
    if (!indices && takes_planes(PoolKind::kMax, shape, in.dtype(0))) {
      return make_plane_pool(PoolKind::kMax, std::move(shape), in.dtype(0), in.isa());
    }
    const auto make = [&]<class T>() -> KernelPtr {
      return std::make_unique<MaxPoolKernel<T>>(std::move(shape), indices, by_columns_);
    };
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

void register_max_pool(Registry& registry) {
  for (const char* name : {"MaxPool", "GlobalMaxPool"}) {
    registry.add<MaxPool>(name, {.since = 1});
    registry.add<MaxPool>(name, {.since = 1, .domain = "linnet"});
  }
}

}  // namespace linnet
