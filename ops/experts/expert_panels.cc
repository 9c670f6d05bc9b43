#include "experts/expert_panels.h"

#include <algorithm>

#include "experts/expert_order.h"
#include "gemm/blocks.h"
#include "gemm/constant_matrices.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

using E = ExpertInputs;

constexpr int64_t kGroupFloats = 64 * 1024;  // of weights, which stay in the second-level cache for all rows

/// Scratch of a worker: the addresses of a strip's rows, then its results. The first worker's scratch begins with the
/// order of the products.
class ExpertPanelsKernel final : public Kernel {
 public:
  explicit ExpertPanelsKernel(const CompileInput& in)
      : products_(in.shape(E::kExperts)[0]),
        experts_(in.shape(E::kWeights)[0]),
        columns_(in.shape(E::kWeights)[1]),
        depth_(in.shape(E::kWeights)[2]),
        group_(products_ / std::max<int64_t>(1, in.shape(E::kX)[0])),
        has_bias_(in.has(E::kBias)),
        kernels_(kernels_for<GemmKernels<GemmF32>>(in.isa())),
        blocks_(kernels_, {.rows = std::max<int64_t>(1, ceil_div(products_, std::max<int64_t>(1, experts_))),
                           .columns = columns_,
                           .depth = depth_}) {
    MatrixProduct product;
    product.n = columns_;
    product.k = depth_;
    product.transpose_b = true;
    product.b_count = experts_;
    packed_ = packed_matrices<GemmF32>(product, panels(), *in.constant(E::kWeights), in);
    packed_size_ = packed_size(panels(), 1, depth_);
    const int64_t widest = checked_mul(widest_panel(), depth_);
    group_panels_ = std::max<int64_t>(1, kGroupFloats / std::max<int64_t>(1, widest));
    pointers_offset_ = aligned(ExpertOrder::bytes(products_, experts_));
    tile_offset_ = pointers_offset_ + aligned(dtype_bytes(DType::kInt64, blocks_.strip_rows()));
  }

  void run(KernelContext& context) const override {
    const ExpertOrder order(context.input(E::kExperts).values<int64_t>(), experts_, context.scratch());
    const int64_t groups = ceil_div(panels().count(), group_panels_);
    const int64_t multiplies = products_ * group_panels_ * widest_panel() * depth_ / std::max<int64_t>(1, experts_);
    parallel_items(context.executor(), experts_ * groups, multiplies / kMultipliesPerElement,
                   [&](int64_t item, int64_t end, int worker) {
                     Checkpoints checkpoints;
                     for (; item < end; ++item) {
                       const int64_t panel = item % groups * group_panels_;
                       const Span part{panel, std::min(panels().count(), panel + group_panels_)};
                       multiply(context, item / groups, part, order.products(item / groups), context.scratch(worker),
                                checkpoints);
                     }
                   });
  }

  size_t scratch_bytes() const override {
    const int64_t tile = checked_mul(blocks_.strip_rows(), checked_mul(group_panels_, widest_panel()));
    return tile_offset_ + dtype_bytes(DType::kFloat32, tile);
  }
  bool reads(int input) const override { return input != E::kWeights; }
  std::string describe() const override { return "GEMM " + blocks_.describe(); }

 private:
  const GemmPanels& panels() const { return blocks_.panels(); }
  int64_t widest_panel() const { return checked_mul(kWidestPanel, panels().lanes); }

  void multiply(KernelContext& context, int64_t expert, const Span& part, std::span<const int64_t> products,
                std::byte* scratch, Checkpoints& checkpoints) const {
    const int64_t strips = ceil_div(std::ssize(products), int64_t{blocks_.strip_rows()});
    auto* y = reinterpret_cast<float*>(scratch + tile_offset_);
    const Span columns{panels().first_column(part.begin), panels().end_column(part.end)};
    GemmStrip<GemmF32> s;
    s.a = reinterpret_cast<const float**>(scratch + pointers_offset_);
    s.panels = &panels();
    s.panel = part.begin;
    s.panel_end = part.end;
    s.b = packed_.data<float>() + expert * packed_size_;
    s.b_rows = blocks_.b_rows();
    s.ahead_panel = part.end < panels().count() ? part.end : -1;
    s.ahead_parts = strips;
    s.y = y;
    s.y_pitch = columns.size();
    if (has_bias_) s.epilogue.bias = context.input(E::kBias).data<float>() + expert * columns_ + columns.begin;
    for (int64_t strip = 0; strip < strips; ++strip) {
      const Span rows = Span{0, std::ssize(products)}.part(strips, strip);
      s.ahead_part = strip;
      multiply_rows(context, products.subspan(size_t(rows.begin), size_t(rows.size())), s);
      for (int64_t i = 0; i < rows.size(); ++i) {
        float* to = context.output(0).data<float>() + products[size_t(rows.begin + i)] * columns_ + columns.begin;
        std::copy_n(y + i * columns.size(), columns.size(), to);
      }
      checkpoints.add(rows.size() * depth_ * (part.size() + 1));
    }
  }

  /// Computes all blocks of the sums of a strip.
  void multiply_rows(KernelContext& context, std::span<const int64_t> products, GemmStrip<GemmF32> s) const {
    auto* pointers = const_cast<const float**>(s.a);
    const float* x = context.input(E::kX).data<float>();
    const Epilogue epilogue = s.epilogue;
    s.rows = int(products.size());
    for (int64_t i = 0; i < blocks_.blocks(); ++i) {
      const GemmBlocks::Block block = blocks_.block(i);
      for (size_t row = 0; row < products.size(); ++row) pointers[row] = x + products[row] / group_ * depth_ + block.k;
      s.depth = block.depth;
      s.b_row = blocks_.b_row(0, block.k);
      s.accumulate = !block.first;
      s.epilogue = block.last ? epilogue : Epilogue();
      kernels_.strip(s);
    }
  }

  int64_t products_, experts_, columns_, depth_;
  int64_t group_;  // number of products of a row of x
  bool has_bias_;
  const GemmKernels<GemmF32>& kernels_;
  GemmBlocks blocks_;
  Tensor packed_;
  int64_t packed_size_ = 0, group_panels_ = 1;  // of one expert; multiplied together
  size_t pointers_offset_ = 0, tile_offset_ = 0;
};

}  // namespace

KernelPtr make_expert_panels(const CompileInput& in) { return std::make_unique<ExpertPanelsKernel>(in); }

}  // namespace linnet
