#include <optional>

#include "kernels/kernel_table.h"
#include "nn/conv_algorithm.h"
#include "nn/window_rows.h"

namespace linnet {
namespace {

class GemmConv final : public ConvAlgorithm {
 public:
  GemmConv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in)
      : geometry_(geometry), epilogue_(epilogue), kernels_(kernel_table(in.isa()).gemm), windows_(geometry) {
    GemmPlan::Sizes sizes;
    sizes.rows = checked_mul(geometry.batch, geometry.out_pixels());
    sizes.columns = geometry.group_out();
    sizes.taps = windows_.taps();
    sizes.depth = windows_.depth();
    sizes.source_scratch_bytes = geometry.pointwise()
                                     ? MatrixRows::scratch_bytes(kernels_, sizes.depth, geometry.in_channels)
                                     : windows_.scratch_bytes(kernels_.tile_rows);
    plan_ = GemmPlan(kernels_, sizes);
    packed_floats_ = packed_floats(weights(nullptr, 0), kernels_.panel_columns);
    if (const Tensor* w = in.constant(1)) {
      const std::string layout = str("conv gemm ", kernels_.panel_columns, " groups ", geometry.group);
      packed_ = in.packed(*w, layout, [&] {
        Tensor packed = in.packed_memory(DType::kFloat32, Shape{geometry_.group, packed_floats_});
        pack(w->data<float>(), packed.data<float>(), &in.executor());
        return packed;
      });
    }
  }

  void run(const ConvOperands& operands, KernelContext& context) const override {
    const float* w = packed_ ? packed_.data<float>() : pack_in_scratch(operands.w, context);
    context.executor().parallel_for(geometry_.group * plan_.chunks(), [&](int64_t chunk, int worker) {
      run_chunk(operands, w, chunk / plan_.chunks(), chunk % plan_.chunks(), context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override {
    return plan_.scratch_bytes() + (packed_ ? 0 : dtype_bytes(DType::kFloat32, geometry_.group * packed_floats_));
  }

  std::string describe() const override {
    return str(geometry_.pointwise() ? "GEMM " : "indirect GEMM ", kernels_.tile_rows, "x", kernels_.panel_columns);
  }

 private:
  GemmWeights weights(const float* w, int64_t group) const {
    GemmWeights result;
    result.taps = geometry_.taps();
    result.depth = geometry_.group_in();
    result.columns = geometry_.group_out();
    result.tap_stride = 1;
    result.depth_stride = result.taps;
    result.column_stride = result.taps * result.depth;
    result.data = w + group * result.columns * result.column_stride;
    return result;
  }

  void pack(const float* w, float* packed, Executor* executor) const {
    for (int64_t g = 0; g < geometry_.group; ++g) {
      pack_weights(weights(w, g), kernels_.panel_columns, packed + g * packed_floats_, executor);
    }
  }

  const float* pack_in_scratch(const float* w, KernelContext& context) const {
    auto* packed = reinterpret_cast<float*>(context.scratch() + plan_.scratch_bytes());
    pack(w, packed, &context.executor());
    return packed;
  }

  void run_chunk(const ConvOperands& operands, const float* w, int64_t group, int64_t chunk, std::byte* scratch) const {
    const float* x = operands.x + group * geometry_.group_in();
    const WindowRows windows(windows_, x);
    const MatrixRows pixels(x, geometry_.in_channels);
    const int64_t column = group * geometry_.group_out();
    GemmOperands product;
    product.a = geometry_.pointwise() ? static_cast<const RowSource*>(&pixels) : &windows;
    product.b = w + group * packed_floats_;
    product.y = operands.y + column;
    product.y_pitch = geometry_.out_channels;
    product.epilogue = epilogue_;
    product.epilogue.bias = operands.bias;
    product.epilogue.residual = operands.residual;
    product.epilogue.residual_pitch = geometry_.out_channels;
    product.epilogue = product.epilogue.at(0, column);
    plan_.run_chunk(product, chunk, scratch);
  }

  ConvGeometry geometry_;
  Epilogue epilogue_;
  GemmKernels kernels_;
  ConvWindows windows_;
  GemmPlan plan_;
  int64_t packed_floats_ = 0;  // of one group
  Tensor packed_;
};

}  // namespace

ConvAlgorithmPtr make_gemm_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in) {
  return std::make_unique<GemmConv>(geometry, epilogue, in);
}

}  // namespace linnet
