#include "attention/attention_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
  // Both ends move with the query.
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
void ScoreRows<C>::finish(KernelContext& context, int64_t b, int64_t h, int64_t i, const KeyRange& known, C* scores,
                          C* buffer) const {
  const Row row{context, b, h, i, known, scores};
  show(ScoreOutput::kProducts, row, 0);
  if (rule_.softcap > 0) cap(scores + known.begin, known.size());
  show(ScoreOutput::kCapped, row, 0);

  KeyRange keys = allowed_keys(row);
  const bool any = add_mask(row, keys, buffer);
  if (rule_.output == ScoreOutput::kBiased) fill_outside(keys, row, kHidden<C>);
  show(ScoreOutput::kBiased, row, kHidden<C>);

  if (!any) keys = {known.end, known.end};
  fill_outside(keys, row, !any && rule_.nan_without_keys ? std::numeric_limits<C>::quiet_NaN() : C(0));
  if (any) share(row, keys);
  show(ScoreOutput::kProbabilities, row, 0);
}

template <class C>
void ScoreRows<C>::show(ScoreOutput stage, const Row& row, C unknown) const {
  if (rule_.output != stage) return;
  const AttentionSizes& s = rule_.sizes;
  C* output = row.context.output(AttentionSlots::kScores).template data<C>();
  output += ((row.b * s.q_heads + row.h) * s.q_length + row.i) * s.kv_length;
  std::fill(output, output + row.known.begin, unknown);
  std::copy(row.scores + row.known.begin, row.scores + row.known.end, output + row.known.begin);
  std::fill(output + row.known.end, output + s.kv_length, unknown);
}

template <class C>
KeyRange ScoreRows<C>::allowed_keys(const Row& row) const {
  const AttentionSample sample = attention_sample(row.context, rule_.sizes, row.b);
  KeyRange keys = rule_.window.keys_of(row.i, sample.offset, sample.keys);
  if (rule_.mask) keys.end = std::min(keys.end, rule_.mask.columns());
  return keys.begin < keys.end ? keys : KeyRange{row.known.end, row.known.end};
}

template <class C>
bool ScoreRows<C>::add_mask(const Row& row, const KeyRange& keys, C* buffer) const {
  if (!rule_.mask || keys.size() == 0) return keys.size() > 0;
  const Tensor& mask = row.context.input(AttentionSlots::kMask);
  const C* bias = rule_.mask.bias(mask, row.b, row.h, row.i, keys, buffer);
  return add_bias(row.scores + keys.begin, bias, keys.size()) != kHidden<C>;
}

template <class C>
void ScoreRows<C>::fill_outside(const KeyRange& keys, const Row& row, C value) const {
  std::fill(row.scores + row.known.begin, row.scores + keys.begin, value);
  std::fill(row.scores + keys.end, row.scores + row.known.end, value);
}

template <>
void ScoreRows<float>::cap(float* x, int64_t n) const {
  const auto softcap = float(rule_.softcap);
  table_.unary.scale(x, x, n, 1 / softcap, 0);
  table_.unary.tanh(x, x, n, 0, 0);
  table_.unary.scale(x, x, n, softcap, 0);
}

template <>
void ScoreRows<double>::cap(double* x, int64_t n) const {
  for (int64_t j = 0; j < n; ++j) x[j] = rule_.softcap * std::tanh(x[j] / rule_.softcap);
}

template <>
float ScoreRows<float>::add_bias(float* x, const float* bias, int64_t n) const {
  return table_.attention.add_bias(x, bias, n);
}

template <>
double ScoreRows<double>::add_bias(double* x, const double* bias, int64_t n) const {
  for (int64_t j = 0; j < n; ++j) x[j] = bias[j] == kHidden<double> ? bias[j] : x[j] + bias[j];
  return *std::max_element(bias, bias + n);
}

template <class C>
void ScoreRows<C>::share(const Row& row, const KeyRange& keys) const {
  C* x = row.scores + keys.begin;
  if (!rule_.head_sink) return softmax(x, keys.size());
  C& last = x[keys.size()];
  last = row.context.input(AttentionSlots::kHeadSink).template data<C>()[row.h];
  softmax(x, keys.size() + 1);
  last = 0;
}

template <>
void ScoreRows<float>::softmax(float* x, int64_t n) const {
  rule_.double_softmax ? softmax_of(x, x, n) : table_.softmax.rows(x, x, 1, n);
}

template <>
void ScoreRows<double>::softmax(double* x, int64_t n) const {
  softmax_of(x, x, n);
}

template class ScoreRows<float>;
template class ScoreRows<double>;

}  // namespace linnet
