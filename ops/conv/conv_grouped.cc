#include <algorithm>

#include "conv/conv_algorithm.h"
#include "conv/gemm_conv_weights.h"
#include "conv/window_rows.h"
#include "gemm/half_weights.h"
#include "gemm/panels.h"
#include "kernels/gemm.h"
#include "kernels/grouped.h"
#include "kernels/kernels_for.h"
#include "partition/checkpoints.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

/// A convolution of groups. Where the kernels support it, the first groups are computed several to a vector; the rest
/// are computed one at a time. Packed weights: blocks of the former, then a panel for each of the latter.
class GroupedConv final : public ConvAlgorithm<float> {
 public:
  GroupedConv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in)
      : g_(geometry),
        epilogue_(epilogue),
        gemm_(kernels_for<GemmKernels<GemmF32>>(in.isa())),
        grouped_(kernels_for<GroupedKernels>(in.isa())),
        windows_(geometry),
        rows_(checked_mul(geometry.batch, geometry.out_pixels())) {
    const int64_t width = g_.group_in();
    if (width == g_.group_out() && grouped_.supports(width))
      shared_columns_ = g_.out_channels / grouped_.lanes * grouped_.lanes;
    shared_groups_ = shared_columns_ / g_.group_out();
    group_panels_ = choose_panels(gemm_, g_.group_out(), g_.taps() * width);
    group_floats_ = packed_size(group_panels_, g_.taps(), width);
    strip_rows_ = choose_strip_rows(gemm_, group_panels_, rows_, g_.taps() * width);
    strips_ = ceil_div(rows_, strip_rows_);
    const int64_t strip_multiplies = strip_rows_ * g_.out_channels * g_.taps() * width;
    chunk_strips_ = std::max<int64_t>(1, kProductChunkMultiplies / std::max<int64_t>(1, strip_multiplies));
    if (const Tensor* w = in.constant(1)) {
      packed_ = in.packed(*w, packed_form("conv grouped", group_panels_, {g_.group, grouped_.lanes}), [&] {
        Tensor packed = in.packed_memory(DType::kFloat32, Shape{packed_floats()});
        pack(float_weights(*w, in).data<float>(), packed.data<float>());
        return packed;
      });
    }
  }

  void run(const ConvOperands<float>& operands, KernelContext& context) const override {
    const float* w = packed_ ? packed_.data<float>() : pack_in_scratch(operands.w, context);
    context.executor().parallel_for(ceil_div(strips_, chunk_strips_), [&](int64_t chunk, int worker) {
      const int64_t end = std::min(strips_, (chunk + 1) * chunk_strips_);
      for (int64_t strip = chunk * chunk_strips_; strip < end; ++strip)
        run_strip(operands, w, strip, context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override {
    return pointer_bytes() + (packed_ ? 0 : dtype_bytes(DType::kFloat32, packed_floats()));
  }

  std::string describe() const override { return str("grouped, ", shared_groups_, " groups sharing vectors"); }

 private:
  size_t pointer_bytes() const { return aligned(size_t(strip_rows_ * g_.taps()) * sizeof(float*)); }
  int64_t shared_floats() const { return shared_columns_ * g_.group_in() * g_.taps(); }
  int64_t packed_floats() const { return shared_floats() + (g_.group - shared_groups_) * group_floats_; }

  void pack(const float* w, float* packed) const {
    packed = pack_shared(w, packed);
    Checkpoints checkpoints;
    for (int64_t g = shared_groups_; g < g_.group; ++g, packed += group_floats_) {
      pack_weights(conv_matrices(g_, w, g), group_panels_, packed);
      checkpoints.add(group_floats_);
    }
  }

  /// Packs the weights in the order of GroupedKernels. Returns the end of the packed weights.
  float* pack_shared(const float* w, float* packed) const {
    const int64_t width = g_.group_in();
    Checkpoints checkpoints;
    for (int64_t column = 0; column < shared_columns_; column += grouped_.lanes) {
      checkpoints.add(2 * grouped_.lanes * width * g_.taps());
      for (int64_t tap = 0; tap < g_.taps(); ++tap) {
        for (int64_t r = 0; r < width; ++r) {
          for (int64_t j = column; j < column + grouped_.lanes; ++j)
            *packed++ = w[((j ^ r) * width + j % width) * g_.taps() + tap];
        }
      }
    }
    return packed;
  }

  const float* pack_in_scratch(const float* w, KernelContext& context) const {
    auto* packed = reinterpret_cast<float*>(context.scratch() + pointer_bytes());
    pack(w, packed);
    return packed;
  }

  void run_strip(const ConvOperands<float>& operands, const float* w, int64_t index, std::byte* scratch) const {
    RowBlock block;
    block.row = part_begin(rows_, strips_, index);
    block.rows = int(part_begin(rows_, strips_, index + 1) - block.row);
    block.taps = g_.taps();
    const auto pointers = reinterpret_cast<const float**>(scratch);
    WindowRows<float>(windows_, operands.x).rows(block, pointers, nullptr);
    GemmStrip<GemmF32> strip;
    strip.rows = block.rows;
    strip.taps = block.taps;
    strip.depth = g_.group_in();
    strip.a = pointers;
    strip.b_rows = strip.taps * strip.depth;
    strip.y = operands.y + block.row * g_.out_channels;
    strip.y_pitch = g_.out_channels;
    strip.epilogue = operands.bind(epilogue_, g_.out_channels).at(block.row, 0);
    run_shared_groups(strip, w);
    run_other_groups(strip, w + shared_floats());
  }

  void run_shared_groups(GemmStrip<GemmF32> strip, const float* w) const {
    if (shared_columns_ == 0) return;
    strip.b = w;
    strip.panel_end = shared_columns_ / grouped_.lanes;
    grouped_.strip(strip);
  }

  void run_other_groups(GemmStrip<GemmF32> strip, const float* w) const {
    float* const y = strip.y;
    const Epilogue epilogue = strip.epilogue;
    strip.panels = &group_panels_;
    strip.panel_end = group_panels_.count();
    for (int64_t g = shared_groups_; g < g_.group; ++g, w += group_floats_) {
      strip.b = w;
      strip.a_offset = g * g_.group_in();
      strip.y = y + g * g_.group_out();
      strip.epilogue = epilogue.at(0, g * g_.group_out());
      gemm_.strip(strip);
    }
  }

  ConvGeometry g_;
  Epilogue epilogue_;
  GemmKernels<GemmF32> gemm_;
  GroupedKernels grouped_;
  ConvWindows windows_;
  int64_t rows_, strips_ = 0, chunk_strips_ = 1;
  int strip_rows_ = 1;
  int64_t shared_columns_ = 0;  // columns of groups that share vectors
  int64_t shared_groups_ = 0;
  int64_t group_floats_ = 0;  // floats of one of the other groups
  GemmPanels group_panels_;
  Tensor packed_;
};

}  // namespace

ConvF32Ptr make_grouped_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in) {
  return std::make_unique<GroupedConv>(geometry, epilogue, in);
}

}  // namespace linnet
