#include "attention/attention_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace linnet {
namespace {

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
  if (!counts) return {sizes.kv_length, sizes.past_length};
  const int64_t keys = counts.data<int64_t>()[b];
  return {keys, keys - sizes.q_length};
}

void check_key_counts(const KernelContext& context, const AttentionSizes& sizes) {
  const Tensor& counts = context.input(AttentionSlots::kKeyCounts);
  if (!counts) return;
  for (const int64_t keys : counts.values<int64_t>()) {
    if (keys < 0 || keys > sizes.kv_length) {
      throw Error(ErrorKind::kShape, str("nonpad_kv_seqlen must be in [0,", sizes.kv_length, "], got ", keys));
    }
  }
}

template <class C>
KeyRange ScoreRows<C>::allowed_keys(const AttentionSample& sample, int64_t i) const {
  KeyRange keys = rule_.window.keys_of(i, sample.offset, sample.keys);
  if (rule_.mask) keys.end = std::min(keys.end, rule_.mask.columns());
  keys.begin = std::min(keys.begin, keys.end);
  return keys;
}

template <class C>
void ScoreRows<C>::finish(KernelContext& context, int64_t b, int64_t h, int64_t i, const KeyRange& known, C* scores,
                          C* buffer) const {
  constexpr C kLowest = -std::numeric_limits<C>::infinity();
  const AttentionSizes& s = rule_.sizes;
  C* output = nullptr;
  if (rule_.output != ScoreOutput::kNone) {
    Tensor& tensor = context.output(AttentionSlots::kScores);
    output = tensor.data<C>() + ((b * s.q_heads + h) * s.q_length + i) * s.kv_length;
  }
  const auto give = [&](ScoreOutput stage, C outside) {
    if (rule_.output != stage) return;
    std::fill(output, output + known.begin, outside);
    std::copy(scores + known.begin, scores + known.end, output + known.begin);
    std::fill(output + known.end, output + s.kv_length, outside);
  };
  const auto fill_outside = [&](const KeyRange& keys, C value) {
    std::fill(scores + known.begin, scores + keys.begin, value);
    std::fill(scores + keys.end, scores + known.end, value);
  };

  give(ScoreOutput::kProducts, 0);
  if (rule_.softcap > 0) cap(scores + known.begin, known.end - known.begin);
  give(ScoreOutput::kCapped, 0);
  KeyRange keys = allowed_keys(attention_sample(context, s, b), i);
  const int64_t n = keys.end - keys.begin;
  C most = n > 0 ? C(0) : kLowest;
  if (rule_.mask && n > 0) {
    const C* bias = rule_.mask.bias(context.input(AttentionSlots::kMask), b, h, i, keys, buffer);
    most = add_bias(scores + keys.begin, bias, n);
  }
  if (n == 0) keys = {known.end, known.end};
  if (rule_.output == ScoreOutput::kBiased) fill_outside(keys, kLowest);
  give(ScoreOutput::kBiased, kLowest);
  if (most == kLowest) keys = {known.end, known.end};
  fill_outside(keys, 0);
  if (most != kLowest) softmax(scores + keys.begin, n);
  give(ScoreOutput::kProbabilities, 0);
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
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  for (int64_t j = 0; j < n; ++j) x[j] = bias[j] == kLowest ? kLowest : x[j] + bias[j];
  return *std::max_element(bias, bias + n);
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
