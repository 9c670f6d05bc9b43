#include <algorithm>

#include "kernels/kernel_table.h"
#include "kernels/packed_gemm.h"
#include "nn/deform_shape.h"
#include "parallel.h"
#include "scratch.h"

namespace linnet {
namespace {

/// The rows of A: output pixel r's samples of the channels of one group, one tap after the other.
class DeformRows final : public RowSource {
 public:
  DeformRows(const DeformShape& shape, const DeformKernels& kernels, const float* image,
             const DeformField<float>& field, int64_t group)
      : shape_(shape), kernels_(kernels), image_(image), field_(field), group_(group) {}

  /// The samples are made in scratch, behind the points where they are taken.
  void rows(const RowBlock& block, const float** pointers, std::byte* scratch) const override {
    auto* points = reinterpret_cast<DeformSample*>(scratch);
    auto* samples = reinterpret_cast<float*>(scratch + points_bytes(block.rows));
    for (int64_t t = 0; t < block.taps; ++t) {
      float* row = samples + t * block.rows * block.depth;
      for (int i = 0; i < block.rows; ++i) pointers[t * block.rows + i] = row + i * block.depth;
      sample_tap(block, block.tap + t, points, row);
    }
  }

  static size_t scratch_bytes(int tile_rows, int64_t taps, int64_t depth) {
    const int64_t samples = checked_mul(tile_rows, checked_mul(taps, depth));
    return points_bytes(tile_rows) + dtype_bytes(DType::kFloat32, samples);
  }

 private:
  static size_t points_bytes(int rows) { return aligned(size_t(rows) * sizeof(DeformSample)); }

  void sample_tap(const RowBlock& block, int64_t tap, DeformSample* points, float* row) const {
    const int64_t first = group_ * shape_.conv.group_in() + block.k, end = first + block.depth;
    const int64_t together = shape_.channels_per_offset_group();
    for (int64_t c = first; c < end;) {
      const int64_t offset_group = c / together, next = std::min(end, (offset_group + 1) * together);
      for (int i = 0; i < block.rows; ++i) {
        const auto point = field_.at(shape_, offset_group, tap, block.row + i);
        points[i] = {point.y, point.x, point.weight};
      }
      kernels_.sample_f32(image_ + c, shape_.height().in, shape_.width().in, shape_.conv.in_channels, next - c, points,
                          block.rows, row + (c - first), block.depth);
      c = next;
    }
  }

  const DeformShape& shape_;
  const DeformKernels& kernels_;
  const float* image_;
  DeformField<float> field_;
  int64_t group_;
};

/// Image by image. Scratch: the product's, then x and y of an image in channels-last order, then weights packed at
/// run time.
class DeformF32 final : public Kernel {
 public:
  DeformF32(const DeformShape& shape, const CompileInput& in)
      : shape_(shape), kernels_(kernel_table(in.isa())), has_bias_(in.has(3)), has_mask_(in.has(4)) {
    const ConvGeometry& g = shape_.conv;
    GemmPlan::Sizes sizes;
    sizes.rows = g.out_pixels();
    sizes.columns = g.group_out();
    sizes.taps = g.taps();
    sizes.depth = g.group_in();
    sizes.source_scratch_bytes = DeformRows::scratch_bytes(kernels_.gemm.tile_rows, g.taps(), g.group_in());
    sizes.costly_rows = true;
    plan_ = GemmPlan(kernels_.gemm, sizes);
    packed_floats_ = packed_floats(weights(nullptr, 0), kernels_.gemm.panel_columns);
    x_offset_ = aligned(plan_.scratch_bytes());
    y_offset_ = x_offset_ + aligned(dtype_bytes(DType::kFloat32, checked_mul(g.in_channels, g.in_pixels())));
    w_offset_ = y_offset_ + aligned(dtype_bytes(DType::kFloat32, checked_mul(g.out_channels, g.out_pixels())));
    if (const Tensor* w = in.constant(1)) {
      packed_ = in.packed(*w, str("deform ", kernels_.gemm.panel_columns, " groups ", g.group), [&] {
        Tensor packed = in.packed_memory(DType::kFloat32, Shape{shape_.conv.group, packed_floats_});
        pack(w->data<float>(), packed.data<float>(), &in.executor());
        return packed;
      });
    }
  }

  void run(KernelContext& context) const override {
    const ConvGeometry& g = shape_.conv;
    const float* w = packed_ ? packed_.data<float>() : pack_in_scratch(context);
    auto* x_last = reinterpret_cast<float*>(context.scratch() + x_offset_);
    auto* y_last = reinterpret_cast<float*>(context.scratch() + y_offset_);
    const int64_t x_image = g.in_channels * g.in_pixels(), y_image = g.out_channels * g.out_pixels();
    for (int64_t n = 0; n < g.batch; ++n) {
      transpose(context.executor(), context.input(0).data<float>() + n * x_image, g.in_channels, g.in_pixels(), x_last);
      run_image(context, n, w, x_last, y_last);
      transpose(context.executor(), y_last, g.out_pixels(), g.out_channels,
                context.output(0).data<float>() + n * y_image);
    }
  }

  bool reads(int input) const override { return input != 1 || !packed_; }
  size_t scratch_bytes() const override {
    return w_offset_ + (packed_ ? 0 : dtype_bytes(DType::kFloat32, checked_mul(shape_.conv.group, packed_floats_)));
  }

  std::string describe() const override {
    return str("sampled GEMM ", kernels_.gemm.tile_rows, "x", kernels_.gemm.panel_columns);
  }

 private:
  /// The weights of a group as a matrix per tap.
  GemmWeights weights(const float* w, int64_t group) const {
    const ConvGeometry& g = shape_.conv;
    GemmWeights result;
    result.taps = g.taps();
    result.depth = g.group_in();
    result.columns = g.group_out();
    result.tap_stride = 1;
    result.depth_stride = g.taps();
    result.column_stride = g.taps() * g.group_in();
    result.data = w + group * g.group_out() * result.column_stride;
    return result;
  }

  void pack(const float* w, float* packed, Executor* executor) const {
    for (int64_t group = 0; group < shape_.conv.group; ++group) {
      pack_weights(weights(w, group), kernels_.gemm.panel_columns, packed + group * packed_floats_, executor);
    }
  }

  const float* pack_in_scratch(KernelContext& context) const {
    auto* packed = reinterpret_cast<float*>(context.scratch() + w_offset_);
    pack(context.input(1).data<float>(), packed, &context.executor());
    return packed;
  }

  void run_image(KernelContext& context, int64_t n, const float* w, const float* x, float* y) const {
    const ConvGeometry& g = shape_.conv;
    const int64_t mask_image = shape_.offset_group * g.taps() * g.out_pixels();
    const DeformField<float> field{context.input(2).data<float>() + n * 2 * mask_image,
                                   has_mask_ ? context.input(4).data<float>() + n * mask_image : nullptr};
    const float* bias = has_bias_ ? context.input(3).data<float>() : nullptr;
    context.executor().parallel_for(g.group * plan_.chunks(), [&](int64_t chunk, int worker) {
      const int64_t group = chunk / plan_.chunks();
      const DeformRows rows(shape_, kernels_.deform, x, field, group);
      GemmOperands product;
      product.a = &rows;
      product.b = w + group * packed_floats_;
      product.y = y + group * g.group_out();
      product.y_pitch = g.out_channels;
      if (bias) product.epilogue.bias = bias + group * g.group_out();
      plan_.run_chunk(product, chunk % plan_.chunks(), context.scratch(worker));
    });
  }

  /// [rows, columns] to [columns, rows].
  void transpose(Executor& executor, const float* x, int64_t rows, int64_t columns, float* y) const {
    parallel_items(executor, (columns + 63) / 64, 64 * rows, [&](int64_t begin, int64_t end, int) {
      const int64_t first = begin * 64, count = std::min(end * 64, columns) - first;
      kernels_.transpose.bits32(x + first, rows, count, columns, y + first * rows, rows);
    });
  }

  DeformShape shape_;
  const KernelTable& kernels_;
  bool has_bias_, has_mask_;
  GemmPlan plan_;
  int64_t packed_floats_ = 0;  // of one group
  size_t x_offset_ = 0, y_offset_ = 0, w_offset_ = 0;
  Tensor packed_;
};

}  // namespace

KernelPtr make_deform_f32(const DeformShape& shape, const CompileInput& in) {
  return std::make_unique<DeformF32>(shape, in);
}

}  // namespace linnet
