#include <algorithm>
#include <array>

#include "experts/expert_order.h"
#include "experts/expert_panels.h"
#include "infer/infer.h"
#include "kernels/attention.h"
#include "kernels/kernels_for.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

using E = ExpertInputs;

constexpr int64_t kBlockFloats = 8 * 1024;  // of weights, which stay in the first-level cache for all rows

/// Scratch of the first worker: the order of the products.
class ExpertMatMulKernel final : public Kernel {
 public:
  explicit ExpertMatMulKernel(const CompileInput& in)
      : products_(in.shape(E::kExperts)[0]),
        experts_(in.shape(E::kWeights)[0]),
        columns_(in.shape(E::kWeights)[1]),
        depth_(in.shape(E::kWeights)[2]),
        group_(products_ / std::max<int64_t>(1, in.shape(E::kX)[0])),
        block_(std::max<int64_t>(4, kBlockFloats / std::max<int64_t>(1, depth_))),
        kernels_(kernels_for<AttentionKernels>(in.isa())) {}

  void run(KernelContext& context) const override {
    const ExpertOrder order(context.input(E::kExperts).values<int64_t>(), experts_, context.scratch());
    const int64_t blocks = ceil_div(columns_, block_);
    const int64_t elements = products_ * block_ * depth_ / kMultipliesPerElement / std::max<int64_t>(1, experts_);
    parallel_items(context.executor(), experts_ * blocks, elements, [&](int64_t item, int64_t end, int) {
      for (; item < end; ++item)
        run_block(context, order.products(item / blocks), item / blocks, item % blocks * block_);
    });
  }
  size_t scratch_bytes() const override { return ExpertOrder::bytes(products_, experts_); }

 private:
  void run_block(KernelContext& context, std::span<const int64_t> products, int64_t expert, int64_t column) const {
    const int64_t columns = std::min(block_, columns_ - column), first = expert * columns_ + column;
    const float* w = context.input(E::kWeights).data<float>() + first * depth_;
    for (const int64_t i : products) {
      const float* x = context.input(E::kX).data<float>() + i / group_ * depth_;
      float* y = context.output(0).data<float>() + i * columns_ + column;
      kernels_.dot_rows(x, w, depth_, columns, depth_, y);
      if (!context.input(E::kBias)) continue;
      const float* bias = context.input(E::kBias).data<float>() + first;
      for (int64_t j = 0; j < columns; ++j) y[j] += bias[j];
    }
  }

  int64_t products_, experts_, columns_, depth_;
  int64_t group_;  // number of products of a row of x
  int64_t block_;  // number of columns that are computed together
  const AttentionKernels& kernels_;
};

/// ExpertMatMul, of the internal domain "linnet": y[i] = weights[experts[i]] * x[i * rows / products] +
/// bias[experts[i]], products with matrices that each run selects.
/// - x: [rows, depth]; weights: [matrices, columns, depth]; bias: [matrices, columns], may be omitted; y: [products,
///   columns]; of one dtype, float16, bfloat16 or float32
/// - experts: int64 [products], a multiple of the rows; checked in each run
/// Computes in float32.
class ExpertMatMul final : public Op {
 public:
  explicit ExpertMatMul(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 4);
    constexpr std::array kTypes{DType::kFloat32, DType::kFloat16, DType::kBFloat16};
    require_dtype_in(in[E::kX], kTypes, "x");
    require_dtype(in[E::kExperts], DType::kInt64, "experts");
    require_same_dtype(in[E::kX], in[E::kWeights], "x and weights");
    const Fact bias = has_input(in, E::kBias) ? in[E::kBias] : Fact();
    if (bias.present()) require_same_dtype(in[E::kX], bias, "x and bias");
    const Dims dims = expert_product_dims(in[E::kX], in[E::kExperts], in[E::kWeights], bias);
    if (in[E::kX].has_rank() && in[E::kWeights].has_rank()) {
      merge_dim(in[E::kX].dim(1), in[E::kWeights].dim(2), "the depth of x and weights");
    }
    return {Fact(in[E::kX].dtype, dims)};
  }

  int64_t multiply_adds(const NodeValues& v) const override { return matmul_multiply_adds(v.out(0), v.in(E::kX)); }

  KernelPtr compile(const CompileInput& in) const override {
    const Tensor* w = in.constant(E::kWeights);
    const bool packs = w && w->dtype() == DType::kFloat32 && w->size() > 0;
    return packs ? make_expert_panels(in) : std::make_unique<ExpertMatMulKernel>(in);
  }
};

}  // namespace

LINNET_REGISTER(expert_matmul)(Registry& registry) {
  registry.add<ExpertMatMul>("ExpertMatMul", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
