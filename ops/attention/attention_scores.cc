#include "attention/attention_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention.h"
#include "kernels/kernels_for.h"
#include "kernels/softmax.h"
#include "kernels/unary.h"
#include "partition/checkpoints.h"

namespace linnet {
namespace {

/// The score of a key that the query may not attend.
template <class C>
constexpr C kHidden = -std::numeric_limits<C>::infinity();

template <class From, class To>
void softmax_of(const From* x, To* y, int64_t n) {
  const double max = double(*std::max_element(x, x + n));
  double sum = 0;
  for (int64_t j = 0; j < n; ++j) sum += std::exp(double(x[j]) - max);
  for (int64_t j = 0; j < n; ++j) y[j] = To(std::exp(double(x[j]) - max) / sum);
}

}  // namespace

KeyRange AttentionRule::keys_of(int64_t begin, int64_t end, int64_t offset, int64_t keys) const {
  const bool all = output == ScoreOutput::kProducts || output == ScoreOutput::kCapped || output == ScoreOutput::kBiased;
  if (all) return {0, sizes.kv_length};
  // Both ends increase with the query.
  KeyRange range{window.keys_of(begin, offset, keys).begin, window.keys_of(end - 1, offset, keys).end};
  if (mask) range.end = std::min(range.end, mask.columns());
  range.begin = std::min(range.begin, range.end);
  return range;
}

AttentionSample attention_sample(const KernelContext& context, const AttentionSizes& sizes, int64_t b) {
  const Tensor& counts = context.input(AttentionSlots::kKeyCounts);
  const Tensor& positions = context.input(AttentionSlots::kQueryPositions);
  const int64_t keys = counts ? counts.data<int64_t>()[b] : sizes.kv_length;
  if (positions) return {keys, positions.data<int64_t>()[b]};
  return {keys, counts ? keys - sizes.q_length : sizes.past_length};
}

void check_samples(const KernelContext& context, const AttentionSizes& sizes) {
  const auto check = [&](int slot, const char* name) {
    const Tensor& values = context.input(slot);
    if (!values) return;
    for (const int64_t value : values.values<int64_t>()) {
      if (value >= 0 && value <= sizes.kv_length) continue;
      throw Error(ErrorKind::kShape, str(name, " must be in [0,", sizes.kv_length, "], got ", value));
    }
  };
  check(AttentionSlots::kKeyCounts, "nonpad_kv_seqlen");
  check(AttentionSlots::kQueryPositions, "query_positions");
}

template <class C>
void ScoreRows<C>::finish(KernelContext& context, const ScoreBlock<C>& block, C* buffer,
                          Checkpoints& checkpoints) const {
  const AttentionSample sample = attention_sample(context, rule_.sizes, block.b);
  const Tensor& mask = context.input(AttentionSlots::kMask);
  Bias bias;
  KeyRange same;  // of the rows from `begin` on, whose softmax is pending
  int64_t begin = block.first;
  const auto finish_waiting = [&](int64_t end) {
    if (end > begin) share(context, block, begin, end, same);
    begin = end;
  };
  for (int64_t i = block.first; i < block.first + block.count; ++i) {
    checkpoints.add(4 * block.known.size());
    C* scores = block.row(i);
    const auto show = [&](ScoreOutput stage, C unknown) {
      if (rule_.output == stage) copy_to_output(context, block, i, unknown);
    };
    show(ScoreOutput::kProducts, 0);
    if (rule_.softcap > 0) cap(scores + block.known.begin, block.known.size());
    show(ScoreOutput::kCapped, 0);

    const KeyRange keys = allowed_keys(sample, block, i);
    const bool any = keys.size() > 0 && (!rule_.mask || add_mask(mask, block, i, keys, bias, buffer));
    if (rule_.output == ScoreOutput::kBiased) fill_outside(keys, block, i, kHidden<C>);
    show(ScoreOutput::kBiased, kHidden<C>);

    if (!any || keys != same) finish_waiting(i);
    same = keys;
    if (any) {
      fill_outside(keys, block, i, 0);
    } else {
      const C none = rule_.nan_without_keys ? std::numeric_limits<C>::quiet_NaN() : C(0);
      fill_outside({block.known.end, block.known.end}, block, i, none);
      begin = i + 1;
    }
  }
  finish_waiting(block.first + block.count);
  if (rule_.output != ScoreOutput::kProbabilities) return;
  for (int64_t i = block.first; i < block.first + block.count; ++i) copy_to_output(context, block, i, 0);
}

template <class C>
void ScoreRows<C>::copy_to_output(KernelContext& context, const ScoreBlock<C>& block, int64_t i, C unknown) const {
  const AttentionSizes& s = rule_.sizes;
  C* output = context.output(AttentionSlots::kScores).template data<C>();
  output += ((block.b * s.q_heads + block.h) * s.q_length + i) * s.kv_length;
  const KeyRange& known = block.known;
  const C* scores = block.row(i);
  std::fill(output, output + known.begin, unknown);
  std::copy(scores + known.begin, scores + known.end, output + known.begin);
  std::fill(output + known.end, output + s.kv_length, unknown);
}

template <class C>
KeyRange ScoreRows<C>::allowed_keys(const AttentionSample& sample, const ScoreBlock<C>& block, int64_t i) const {
  KeyRange keys = rule_.window.keys_of(i, sample.offset, sample.keys);
  if (rule_.mask) keys.end = std::min(keys.end, rule_.mask.columns());
  return keys.begin < keys.end ? keys : KeyRange{block.known.end, block.known.end};
}

template <class C>
bool ScoreRows<C>::add_mask(const Tensor& mask, const ScoreBlock<C>& block, int64_t i, const KeyRange& keys, Bias& bias,
                            C* buffer) const {
  if (!bias.values || !rule_.mask.same_for_all_queries() || bias.keys != keys) {
    bias = {keys, rule_.mask.bias(mask, block.b, block.h, i, keys, buffer)};
  }
  return add_bias(block.row(i) + keys.begin, bias.values, keys.size()) != kHidden<C>;
}

template <class C>
void ScoreRows<C>::fill_outside(const KeyRange& keys, const ScoreBlock<C>& block, int64_t i, C value) const {
  C* scores = block.row(i);
  std::fill(scores + block.known.begin, scores + keys.begin, value);
  std::fill(scores + keys.end, scores + block.known.end, value);
}

template <class C>
ScoreRows<C>::ScoreRows(const AttentionRule& rule, Isa isa)
    : rule_(rule),
      scale_(kernels_for<UnaryKernels>(isa).scale),
      tanh_(kernels_for<UnaryKernels>(isa).tanh),
      attention_(kernels_for<AttentionKernels>(isa)),
      softmax_(kernels_for<SoftmaxKernels>(isa)) {}

template <>
void ScoreRows<float>::cap(float* x, int64_t n) const {
  const auto softcap = float(rule_.softcap);
  scale_(x, x, n, 1 / softcap, 0);
  tanh_(x, x, n, 0, 0);
  scale_(x, x, n, softcap, 0);
}

template <>
void ScoreRows<double>::cap(double* x, int64_t n) const {
  for (int64_t j = 0; j < n; ++j) x[j] = rule_.softcap * std::tanh(x[j] / rule_.softcap);
}

template <>
float ScoreRows<float>::add_bias(float* x, const float* bias, int64_t n) const {
  return attention_.add_bias(x, bias, n);
}

template <>
double ScoreRows<double>::add_bias(double* x, const double* bias, int64_t n) const {
  for (int64_t j = 0; j < n; ++j) x[j] = bias[j] == kHidden<double> ? bias[j] : x[j] + bias[j];
  return *std::max_element(bias, bias + n);
}

// The sink adds exp(sink) to the denominator of a softmax, which is exp(most) / the largest probability.
template <class C>
void ScoreRows<C>::share(const KernelContext& context, const ScoreBlock<C>& block, int64_t begin, int64_t end,
                         const KeyRange& keys) const {
  if (!rule_.head_sink) {
    return softmax(block.row(begin) + keys.begin, end - begin, keys.size(), block.pitch);
  }
  const C sink = context.input(AttentionSlots::kHeadSink).template data<C>()[block.h];
  for (int64_t i = begin; i < end; ++i) {
    C *first = block.row(i) + keys.begin, *last = block.row(i) + keys.end;
    const C most = *std::max_element(first, last);
    softmax(first, 1, keys.size(), block.pitch);
    const C share_of_keys = 1 / (1 + *std::max_element(first, last) * std::exp(sink - most));
    std::for_each(first, last, [&](C& probability) { probability *= share_of_keys; });
  }
}

template <>
void ScoreRows<float>::softmax(float* x, int64_t rows, int64_t n, int64_t pitch) const {
  if (!rule_.double_softmax) return softmax_.pitched_rows(x, rows, n, pitch);
  for (int64_t r = 0; r < rows; ++r, x += pitch) softmax_of(x, x, n);
}

template <>
void ScoreRows<double>::softmax(double* x, int64_t rows, int64_t n, int64_t pitch) const {
  for (int64_t r = 0; r < rows; ++r, x += pitch) softmax_of(x, x, n);
}

template class ScoreRows<float>;
template class ScoreRows<double>;

}  // namespace linnet
