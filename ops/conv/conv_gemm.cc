#include "conv/conv_algorithm.h"
#include "conv/gemm_conv_weights.h"
#include "conv/window_rows.h"
#include "gemm/bfloat16_pairs.h"
#include "gemm/product_plan.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

/// Returns the geometry with as many input channels as the rows of such a product hold.
ConvGeometry with_channels(ConvGeometry geometry, int64_t group_in) {
  geometry.in_channels = checked_mul(geometry.group, group_in);
  return geometry;
}

template <class Type>
class GemmConv final : public ConvAlgorithm<typename Type::Y> {
  using A = typename Type::A;
  using B = typename Type::B;
  using T = typename Type::Y;

 public:
  GemmConv(const ConvGeometry& geometry, const BasicEpilogue<T>& epilogue, const CompileInput& in)
      : note_(product_text<B>(in)),
        rows_(checked_mul(checked_mul(geometry.batch, geometry.in_pixels()), geometry.group), geometry.group_in(),
              in.isa()),
        geometry_(with_channels(geometry, rows_.depth())),
        epilogue_(epilogue),
        windows_(geometry_) {
    GemmSizes sizes;
    sizes.rows = checked_mul(geometry.batch, geometry.out_pixels());
    sizes.columns = geometry.group_out();
    sizes.taps = windows_.taps();
    sizes.depth = windows_.depth();
    sizes.workers = in.executor().workers();
    const auto& kernels = kernels_for<GemmKernels<Type>>(in.isa());
    tile_rows_ = tile_rows_of(kernels, sizes);
    sizes.row_scratch_bytes = geometry.pointwise()
                                  ? MatrixRows<A>::scratch_bytes(sizes.depth, geometry_.in_channels, tile_rows_)
                                  : windows_.scratch_bytes(sizeof(A));
    plan_ = GemmPlan<Type>(kernels, sizes);
    weights_ = GemmConvWeights<Type>(geometry, plan_.panels(), in);
  }

  void run(const ConvOperands<T>& operands, KernelContext& context) const override {
    // Weights of another type than x are constant and packed.
    const B* w = weights_.get(reinterpret_cast<const B*>(operands.w), context.scratch() + plan_.scratch_bytes(),
                              context.executor());
    const A* x = rows_.get(operands.x, context.scratch() + rows_offset(), context.executor());
    context.executor().parallel_for(geometry_.group * plan_.chunks(), [&](int64_t chunk, int worker) {
      run_chunk(operands, x, w, chunk / plan_.chunks(), chunk % plan_.chunks(), context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override { return rows_offset() + rows_.scratch_bytes(); }

  bool writes_over_residual() const override { return std::is_same_v<T, float>; }

  std::string describe() const override {
    return str(geometry_.pointwise() ? "GEMM " : "indirect GEMM ", plan_.describe(), note_);
  }

 private:
  size_t rows_offset() const { return plan_.scratch_bytes() + aligned(weights_.scratch_bytes()); }

  void run_chunk(const ConvOperands<T>& operands, const A* x, const B* w, int64_t group, int64_t chunk,
                 std::byte* scratch) const {
    x += group * geometry_.group_in();
    const WindowRows<A> windows(windows_, x);
    const MatrixRows<A> pixels(x, geometry_.in_channels, tile_rows_);
    const int64_t column = group * geometry_.group_out();
    GemmOperands<Type> product;
    product.a = geometry_.pointwise() ? static_cast<const RowSource<A>*>(&pixels) : &windows;
    product.b = w + group * weights_.group_size();
    product.y = operands.y + column;
    product.y_pitch = geometry_.out_channels;
    product.epilogue = operands.bind(epilogue_, geometry_.out_channels).at(0, column);
    plan_.run_chunk(product, chunk, scratch);
  }

  std::string note_;
  ProductRows<Type> rows_;
  ConvGeometry geometry_;
  BasicEpilogue<T> epilogue_;
  ConvWindows windows_;
  int tile_rows_ = 0;
  GemmPlan<Type> plan_;
  GemmConvWeights<Type> weights_;
};

}  // namespace

template <class T>
ConvAlgorithmPtr<T> make_gemm_conv(const ConvGeometry& geometry, const BasicEpilogue<T>& epilogue,
                                   const CompileInput& in) {
  if constexpr (std::is_same_v<T, double>) {
    return std::make_unique<GemmConv<GemmF64>>(geometry, epilogue, in);
  } else {
    return with_product_of(in, [&]<class Type>() -> ConvAlgorithmPtr<T> {
      return std::make_unique<GemmConv<Type>>(geometry, epilogue, in);
    });
  }
}

template ConvAlgorithmPtr<float> make_gemm_conv(const ConvGeometry&, const BasicEpilogue<float>&, const CompileInput&);
template ConvAlgorithmPtr<double> make_gemm_conv(const ConvGeometry&, const BasicEpilogue<double>&,
                                                 const CompileInput&);

}  // namespace linnet
