#include <algorithm>

#include "attention/attention_kernel.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

using Slots = AttentionSlots;

/// Computes row by row. Scratch: scores and biases of a row, then keys and values joined with past ones if they are not
/// outputs.
class AttentionF64 final : public Kernel {
 public:
  AttentionF64(const AttentionRule& rule, const CompileInput& in) : rule_(rule), rows_(rule_, in.isa()) {}

  void run(KernelContext& context) const override {
    check_samples(context, s());
    auto* const scratch = reinterpret_cast<double*>(context.scratch());
    const KeyValueRows<double> rows = join_key_values(rule_, context, scratch + 2 * s().kv_length);
    const int64_t multiplies = s().kv_length * (s().head_size + s().v_head_size);
    const int64_t queries = s().batch * s().q_heads * s().q_length;
    parallel_items(context.executor(), queries, multiplies, [&](int64_t query, int64_t end, int worker) {
      Checkpoints checkpoints;
      for (; query < end; ++query) run_query(context, rows, query, context.scratch(worker), checkpoints);
    });
  }
  size_t scratch_bytes() const override {
    return dtype_bytes(DType::kFloat64, checked_add(checked_mul(2, s().kv_length), joined_elements(rule_)));
  }

 private:
  const AttentionSizes& s() const { return rule_.sizes; }

  void run_query(KernelContext& context, const KeyValueRows<double>& rows, int64_t query, std::byte* scratch,
                 Checkpoints& checkpoints) const {
    auto* scores = reinterpret_cast<double*>(scratch);
    const int64_t i = query % s().q_length, h = query / s().q_length % s().q_heads;
    const int64_t b = query / s().q_length / s().q_heads, kv_head = h / s().group();
    const AttentionSample sample = attention_sample(context, s(), b);
    const KeyRange known = rule_.keys_of(i, i + 1, sample.offset, sample.keys);
    const HeadLayout q_layout(s().joined_heads, s().q_heads, s().q_length, s().head_size);
    const HeadLayout y_layout(s().joined_heads, s().q_heads, s().q_length, s().v_head_size);
    const double* q = context.input(Slots::kQ).data<double>() + q_layout.at(b, h, i);
    double* y = context.output(Slots::kY).data<double>() + y_layout.at(b, h, i);
    for (int64_t j = known.begin; j < known.end; ++j) {
      const double* key = rows.keys.row(b, kv_head, j);
      double sum = 0;
      for (int64_t d = 0; d < s().head_size; ++d) sum += q[d] * key[d];
      scores[j] = sum * rule_.scale;
      checkpoints.add(s().head_size);
    }
    rows_.finish(context, {b, h, i, 1, known, scores, s().kv_length}, scores + s().kv_length, checkpoints);
    std::fill(y, y + s().v_head_size, 0.0);
    for (int64_t j = known.begin; j < known.end; ++j) {
      const double* value = rows.values.row(b, kv_head, j);
      for (int64_t d = 0; d < s().v_head_size; ++d) y[d] += scores[j] * value[d];
      checkpoints.add(s().v_head_size);
    }
  }

  AttentionRule rule_;
  ScoreRows<double> rows_;
};

}  // namespace

KernelPtr make_attention_f64(const AttentionRule& rule, const CompileInput& in) {
  return std::make_unique<AttentionF64>(rule, in);
}

}  // namespace linnet
