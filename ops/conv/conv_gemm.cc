#include <optional>

#include "conv/conv_algorithm.h"
#include "conv/gemm_conv_weights.h"
#include "conv/window_rows.h"
#include "kernels/kernel_table.h"

namespace linnet {
namespace {

class GemmConv final : public ConvAlgorithm {
 public:
  GemmConv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in)
      : geometry_(geometry),
        epilogue_(epilogue),
        kernels_(kernel_table(in.isa()).gemm),
        windows_(geometry),
        weights_(geometry, kernels_.panel_columns, in) {
    GemmPlan::Sizes sizes;
    sizes.rows = checked_mul(geometry.batch, geometry.out_pixels());
    sizes.columns = geometry.group_out();
    sizes.taps = windows_.taps();
    sizes.depth = windows_.depth();
    sizes.source_scratch_bytes = geometry.pointwise()
                                     ? MatrixRows::scratch_bytes(kernels_, sizes.depth, geometry.in_channels)
                                     : windows_.scratch_bytes(kernels_.tile_rows);
    sizes.workers = in.executor().workers();
    plan_ = GemmPlan(kernels_, sizes);
  }

  void run(const ConvOperands& operands, KernelContext& context) const override {
    const float* w = weights_.get(operands.w, context.scratch() + plan_.scratch_bytes(), context.executor());
    context.executor().parallel_for(geometry_.group * plan_.chunks(), [&](int64_t chunk, int worker) {
      run_chunk(operands, w, chunk / plan_.chunks(), chunk % plan_.chunks(), context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override { return plan_.scratch_bytes() + weights_.scratch_bytes(); }

  std::string describe() const override {
    return str(geometry_.pointwise() ? "GEMM " : "indirect GEMM ", kernels_.tile_rows, "x", kernels_.panel_columns);
  }

 private:
  void run_chunk(const ConvOperands& operands, const float* w, int64_t group, int64_t chunk, std::byte* scratch) const {
    const float* x = operands.x + group * geometry_.group_in();
    const WindowRows windows(windows_, x);
    const MatrixRows pixels(x, geometry_.in_channels);
    const int64_t column = group * geometry_.group_out();
    GemmOperands product;
    product.a = geometry_.pointwise() ? static_cast<const RowSource*>(&pixels) : &windows;
    product.b = w + group * weights_.group_floats();
    product.y = operands.y + column;
    product.y_pitch = geometry_.out_channels;
    product.epilogue = epilogue_;
    product.epilogue.bias = operands.bias;
    product.epilogue.residual = operands.residual;
    product.epilogue.slope = operands.slope;
    product.epilogue.residual_pitch = geometry_.out_channels;
    product.epilogue = product.epilogue.at(0, column);
    plan_.run_chunk(product, chunk, scratch);
  }

  ConvGeometry geometry_;
  Epilogue epilogue_;
  GemmKernels kernels_;
  ConvWindows windows_;
  GemmConvWeights weights_;
  GemmPlan plan_;
};

}  // namespace

ConvAlgorithmPtr make_gemm_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in) {
  return std::make_unique<GemmConv>(geometry, epilogue, in);
}

}  // namespace linnet
