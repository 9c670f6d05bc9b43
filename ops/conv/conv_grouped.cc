#include <algorithm>

#include "conv/conv_algorithm.h"
#include "conv/window_rows.h"
#include "kernels/kernel_table.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kChunkMultiplies = 1024 * 1024;

/// The first groups are computed several to a vector where the kernels can, the rest one after the other.
/// Packed weights: blocks of the former, then a panel for each of the latter.
class GroupedConv final : public ConvAlgorithm {
 public:
  GroupedConv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in)
      : g_(geometry),
        epilogue_(epilogue),
        gemm_(kernel_table(in.isa()).gemm),
        grouped_(kernel_table(in.isa()).grouped),
        windows_(geometry),
        rows_(checked_mul(geometry.batch, geometry.out_pixels())),
        tiles_(ceil_div(rows_, gemm_.tile_rows)) {
    const int64_t width = g_.group_in();
    if (width == g_.group_out() && grouped_.supports(width))
      shared_columns_ = g_.out_channels / grouped_.lanes * grouped_.lanes;
    shared_groups_ = shared_columns_ / g_.group_out();
    panel_floats_ = packed_floats(weights(nullptr, 0), gemm_.panel_columns);
    const int64_t tile_multiplies = gemm_.tile_rows * g_.out_channels * g_.taps() * width;
    chunk_tiles_ = std::max<int64_t>(1, kChunkMultiplies / std::max<int64_t>(1, tile_multiplies));
    if (const Tensor* w = in.constant(1)) {
      packed_ = in.packed(*w, {"conv grouped", {gemm_.panel_columns, g_.group}}, [&] {
        Tensor packed = in.packed_memory(DType::kFloat32, Shape{packed_size()});
        pack(w->data<float>(), packed.data<float>());
        return packed;
      });
    }
  }

  void run(const ConvOperands& operands, KernelContext& context) const override {
    const float* w = packed_ ? packed_.data<float>() : pack_in_scratch(operands.w, context);
    context.executor().parallel_for(ceil_div(tiles_, chunk_tiles_), [&](int64_t chunk, int worker) {
      const int64_t end = std::min(tiles_, (chunk + 1) * chunk_tiles_);
      for (int64_t tile = chunk * chunk_tiles_; tile < end; ++tile)
        run_tile(operands, w, tile, context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override {
    return pointer_bytes() + (packed_ ? 0 : dtype_bytes(DType::kFloat32, packed_size()));
  }

  std::string describe() const override { return str("grouped, ", shared_groups_, " groups sharing vectors"); }

 private:
  size_t pointer_bytes() const { return aligned(size_t(gemm_.tile_rows * g_.taps()) * sizeof(float*)); }
  int64_t shared_floats() const { return shared_columns_ * g_.group_in() * g_.taps(); }
  int64_t packed_size() const { return shared_floats() + (g_.group - shared_groups_) * panel_floats_; }

  GemmWeights weights(const float* w, int64_t group) const {
    GemmWeights result;
    result.taps = g_.taps();
    result.depth = g_.group_in();
    result.columns = g_.group_out();
    result.tap_stride = 1;
    result.depth_stride = result.taps;
    result.column_stride = result.taps * result.depth;
    result.data = w + group * result.columns * result.column_stride;
    return result;
  }

  void pack(const float* w, float* packed) const {
    GemmWeights shared = weights(w, 0);
    shared.columns = shared_columns_;
    pack_weights(shared, grouped_.lanes, packed);
    packed += shared_floats();
    for (int64_t g = shared_groups_; g < g_.group; ++g, packed += panel_floats_) {
      pack_weights(weights(w, g), gemm_.panel_columns, packed);
    }
  }

  const float* pack_in_scratch(const float* w, KernelContext& context) const {
    auto* packed = reinterpret_cast<float*>(context.scratch() + pointer_bytes());
    pack(w, packed);
    return packed;
  }

  void run_tile(const ConvOperands& operands, const float* w, int64_t tile, std::byte* scratch) const {
    RowBlock block;
    block.row = tile * gemm_.tile_rows;
    block.rows = int(std::min<int64_t>(gemm_.tile_rows, rows_ - block.row));
    block.taps = g_.taps();
    const auto pointers = reinterpret_cast<const float**>(scratch);
    WindowRows(windows_, operands.x).rows(block, pointers, nullptr);
    Epilogue epilogue = epilogue_;
    epilogue.bias = operands.bias;
    epilogue.residual = operands.residual;
    epilogue.slope = operands.slope;
    epilogue.residual_pitch = g_.out_channels;

    GemmStrip strip;
    strip.rows = block.rows;
    strip.taps = block.taps;
    strip.depth = g_.group_in();
    strip.a = pointers;
    strip.b = w;
    strip.y = operands.y + block.row * g_.out_channels;
    strip.y_pitch = g_.out_channels;
    strip.columns = shared_columns_;
    strip.panel_pitch = strip.taps * strip.depth * grouped_.lanes;
    strip.epilogue = epilogue.at(block.row, 0);
    if (shared_columns_ > 0) grouped_.strip(strip);

    strip.columns = g_.group_out();
    strip.panel_pitch = panel_floats_;
    strip.b += shared_floats();
    for (int64_t g = shared_groups_; g < g_.group; ++g, strip.b += panel_floats_) {
      strip.a_offset = g * g_.group_in();
      strip.y = operands.y + block.row * g_.out_channels + g * g_.group_out();
      strip.epilogue = epilogue.at(block.row, g * g_.group_out());
      gemm_.strip(strip);
    }
  }

  ConvGeometry g_;
  Epilogue epilogue_;
  GemmKernels gemm_;
  GroupedKernels grouped_;
  ConvWindows windows_;
  int64_t rows_, tiles_;
  int64_t chunk_tiles_ = 1;
  int64_t shared_columns_ = 0;  // of groups that share vectors
  int64_t shared_groups_ = 0;
  int64_t panel_floats_ = 0;  // of one of the other groups
  Tensor packed_;
};

}  // namespace

ConvAlgorithmPtr make_grouped_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in) {
  return std::make_unique<GroupedConv>(geometry, epilogue, in);
}

}  // namespace linnet
