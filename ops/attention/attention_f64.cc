#include <algorithm>

#include "attention/attention_kernel.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

using Slots = AttentionSlots;

/// Row by row. Scratch: scores and biases of a row; keys and values joined with past ones that are no outputs.
class AttentionF64 final : public Kernel {
 public:
  AttentionF64(const AttentionRule& rule, const CompileInput& in) : rule_(rule), rows_(rule_, in.isa()) {}

  void run(KernelContext& context) const override {
    check_samples(context, s());
    const auto k = joined(context, Slots::kK, Slots::kPastKey, Slots::kPresentKey, s().head_size, 0);
    const auto v = joined(context, Slots::kV, Slots::kPastValue, Slots::kPresentValue, s().v_head_size, key_values());
    const int64_t multiplies = s().kv_length * (s().head_size + s().v_head_size);
    const int64_t queries = s().batch * s().q_heads * s().q_length;
    parallel_items(context.executor(), queries, multiplies, [&](int64_t query, int64_t end, int worker) {
      Checkpoints checkpoints;
      for (; query < end; ++query) run_query(context, k, v, query, context.scratch(worker), checkpoints);
    });
  }
  size_t scratch_bytes() const override {
    const int64_t joined = s().past_length > 0 ? checked_add(key_values(), size_of(s().v_head_size)) : 0;
    return dtype_bytes(DType::kFloat64, checked_add(checked_mul(2, s().kv_length), joined));
  }

 private:
  const AttentionSizes& s() const { return rule_.sizes; }
  int64_t size_of(int64_t head_size) const {
    return checked_mul(checked_mul(s().batch, s().kv_heads), checked_mul(s().kv_length, head_size));
  }
  int64_t key_values() const { return size_of(s().head_size); }

  HeadRows<double> joined(KernelContext& context, int now, int past, int present, int64_t size, int64_t offset) const {
    double* to = nullptr;
    if (rule_.present[size_t(present - 1)]) {
      to = context.output(present).data<double>();
    } else if (s().past_length > 0) {
      to = reinterpret_cast<double*>(context.scratch(0)) + 2 * s().kv_length + offset;
    }
    return join_rows(s(), size, context.input(past), context.input(now), to, context.executor());
  }

  void run_query(KernelContext& context, const HeadRows<double>& k, const HeadRows<double>& v, int64_t query,
                 std::byte* scratch, Checkpoints& checkpoints) const {
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
      const double* key = k.row(b, kv_head, j);
      double sum = 0;
      for (int64_t d = 0; d < s().head_size; ++d) sum += q[d] * key[d];
      scores[j] = sum * rule_.scale;
      checkpoints.add(s().head_size);
    }
    rows_.finish(context, {b, h, i, 1, known, scores, s().kv_length}, scores + s().kv_length, checkpoints);
    std::fill(y, y + s().v_head_size, 0.0);
    for (int64_t j = known.begin; j < known.end; ++j) {
      const double* value = v.row(b, kv_head, j);
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
