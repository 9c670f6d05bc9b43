#include <algorithm>

#include "attention/attention_head.h"
#include "kernels/kernels_for.h"
#include "kernels/unary.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

using Slots = AttentionSlots;

constexpr int64_t kFewQueries = 4;  // of all heads, for which packing keys and values does not pay off
constexpr int64_t kFewRows = 2;     // of one head, which leave the micro-kernel too little to do

/// Scratch: that of the algorithm, then keys and values joined with past ones if they are not outputs.
class AttentionF32 final : public Kernel {
 public:
  AttentionF32(const AttentionRule& rule, const CompileInput& in) : rule_(rule) {
    const bool few = s().q_length <= kFewRows || checked_mul(s().group(), s().q_length) <= kFewQueries;
    algorithm_ = few ? make_few_queries(rule_, in.isa()) : make_many_queries(rule_, in.isa(), in.executor().workers());
    algorithm_bytes_ = aligned(algorithm_->scratch_bytes());
  }

  void run(KernelContext& context) const override {
    check_samples(context, s());
    auto* const scratch = reinterpret_cast<float*>(context.scratch() + algorithm_bytes_);
    const KeyValueRows<float> rows = join_key_values(rule_, context, scratch);
    const int64_t parts = algorithm_->parts();
    const int64_t scores = s().group() * s().q_length * s().kv_length / parts;
    const int64_t elements = scores * (s().head_size + s().v_head_size) / kMultipliesPerElement;
    parallel_items(
        context.executor(), s().batch * s().kv_heads * parts, elements, [&](int64_t item, int64_t end, int worker) {
          Checkpoints checkpoints;
          for (; item < end; ++item) {
            const int64_t head = item / parts;
            algorithm_->run({context, rows.keys, rows.values, head / s().kv_heads, head % s().kv_heads, checkpoints},
                            item % parts, context.scratch(worker));
          }
        });
  }

  size_t scratch_bytes() const override {
    return algorithm_bytes_ + dtype_bytes(DType::kFloat32, joined_elements(rule_));
  }
  std::string describe() const override { return algorithm_->describe(); }

 private:
  const AttentionSizes& s() const { return rule_.sizes; }

  AttentionRule rule_;
  std::unique_ptr<HeadAlgorithm> algorithm_;
  size_t algorithm_bytes_ = 0;
};

}  // namespace

HeadAlgorithm::HeadAlgorithm(const AttentionRule& rule, Isa isa)
    : rule_(rule),
      scale_(kernels_for<UnaryKernels>(isa).scale),
      rows_(rule, isa),
      q_layout_(rule.sizes.joined_heads, rule.sizes.q_heads, rule.sizes.q_length, rule.sizes.head_size),
      y_layout_(rule.sizes.joined_heads, rule.sizes.q_heads, rule.sizes.q_length, rule.sizes.v_head_size) {}

int64_t HeadAlgorithm::pitch_of(int64_t n) { return (n + 15) / 16 * 16 + 16; }

void HeadAlgorithm::scale_queries(const AttentionHead& head, int64_t h, int64_t first, int64_t rows, float* q) const {
  const float* from = head.context.input(Slots::kQ).data<float>() + q_layout_.at(head.b, h, first);
  for (int64_t i = 0; i < rows; ++i) {
    scale_(from + i * q_layout_.row, q + i * q_pitch(), sizes().head_size, float(rule_.scale), 0);
  }
}

float* HeadAlgorithm::output_row(const AttentionHead& head, int64_t h, int64_t i) const {
  return head.context.output(Slots::kY).data<float>() + y_layout_.at(head.b, h, i);
}

KernelPtr make_attention_f32(const AttentionRule& rule, const CompileInput& in) {
  return std::make_unique<AttentionF32>(rule, in);
}

}  // namespace linnet
