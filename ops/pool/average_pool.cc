#include <array>
#include <cmath>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "pool/plane_pool.h"
#include "pool/pool_scalar.h"
#include "pool/window_pool.h"
#include "registration.h"

namespace linnet {
namespace {

struct Sum {
  double sum = 0;
  void add(double value) { sum += value; }
};

template <class T>
class AveragePoolKernel final : public Kernel {
 public:
  AveragePoolKernel(PoolShape shape, bool count_padding) : shape_(std::move(shape)), count_padding_(count_padding) {}

  void run(KernelContext& context) const override {
    T* y = context.output(0).data<T>();
    pool_scalar(shape_, context.input(0).data<T>(), Sum{}, context.executor(),
                [&](int64_t i, const Sum& state, int64_t inside, int64_t counted) {
                  y[i] = T(state.sum / double(std::max<int64_t>(1, count_padding_ ? counted : inside)));
                });
  }

 private:
  PoolShape shape_;
  bool count_padding_;
};

/// AveragePool: the mean of each window. Padding is excluded, or counts as zeros with count_include_pad.
/// GlobalAveragePool: the mean of each channel.
/// X, Y: float16/bfloat16/float/double [N,C,1 to 3 spatial axes]; channels-last in domain "linnet". In that domain X
/// may also be uint8 or int8 and then represents (X - x_zero_point) * x_scale, two attributes; the sums are exact. Y is
/// then float, or, with y_scale and y_zero_point, quantised to the type of X.
/// Source: https://onnx.ai/onnx/operators/onnx__AveragePool.html
/// Source: https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html
class AveragePool final : public Op {
 public:
  explicit AveragePool(const NodeSpec& node)
      : attributes_(node, node.op_type == "GlobalAveragePool"),
        count_padding_(!attributes_.global() && node.attr_or("count_include_pad", false)),
        reads_bytes_(attributes_.channels_last() && node.has("x_scale")) {
    if (reads_bytes_) grids_.x = read_grid(node, "x");
    if (reads_bytes_ && node.has("y_scale")) grids_.y = read_grid(node, "y");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    if (!reads_bytes_) {
      require_floating(in[0], "X");
      return {Fact(in[0].dtype, attributes_.output_dims(in[0]))};
    }
    static constexpr std::array kTypes{DType::kUint8, DType::kInt8};
    require_dtype_in(in[0], kTypes, "X");
    return {Fact(grids_.y ? in[0].dtype : DType::kFloat32, attributes_.output_dims(in[0]))};
  }

  KernelPtr compile(const CompileInput& in) const override {
    PoolShape shape = attributes_.shape(in.shape(0));
    const PoolKind kind = count_padding_ ? PoolKind::kMeanWithPadding : PoolKind::kMean;
    if (in.dtype(0) == DType::kFloat32 || reads_bytes_) {
      if (attributes_.global()) return make_global_pool(kind, shape, in.dtype(0), in.isa(), grids_);
      if (shape.channels_last) return make_window_pool(kind, std::move(shape), in.dtype(0), in.isa(), grids_);
    }
    if (takes_planes(kind, shape, in.dtype(0))) return make_plane_pool(kind, std::move(shape), in.dtype(0), in.isa());
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<AveragePoolKernel<T>>(std::move(shape), count_padding_);
    });
  }

 private:
  static PoolGrid read_grid(const NodeSpec& node, const std::string& name) {
    const auto scale = node.attr<float>(name + "_scale");
    const int64_t zero_point = node.attr_or(name + "_zero_point", 0);
    if (!(scale > 0) || std::isinf(scale) || zero_point < -128 || zero_point > 255) {
      throw Error(ErrorKind::kModel, str(name, "_scale must be positive and finite and ", name,
                                         "_zero_point a byte, got ", scale, " and ", zero_point));
    }
    return {scale, int32_t(zero_point)};
  }

  PoolAttributes attributes_;
  bool count_padding_, reads_bytes_;
  PoolGrids grids_;
};

}  // namespace

LINNET_REGISTER(average_pool)(Registry& registry) {
  for (const char* name : {"AveragePool", "GlobalAveragePool"}) {
    registry.add<AveragePool>(name, {.since = 1});
    registry.add<AveragePool>(name, {.since = 1, .domain = kInternalDomain});
  }
}

}  // namespace linnet
