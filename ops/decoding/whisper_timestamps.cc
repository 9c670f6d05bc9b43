#include "decoding/whisper_timestamps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "decoding/search_inputs.h"

namespace linnet {
namespace {

constexpr int64_t kLastFirst = 50;  // the last timestamp that may come first: one second

/// Forbids the existing tokens in [begin, end).
void forbid(std::span<float> scores, int64_t begin, int64_t end) {
  begin = std::max<int64_t>(0, begin);
  end = std::min<int64_t>(end, std::ssize(scores));
  if (begin < end) std::fill(scores.begin() + begin, scores.begin() + end, kForbidden);
}

void forbid(std::span<float> scores, int64_t token) { forbid(scores, token, token + 1); }

/// log(sum of e^x) over values that are not forbidden.
double log_sum(std::span<const float> x) {
  const float top = *std::ranges::max_element(x);
  double sum = 0;
  for (const float value : x) sum += value > kForbidden ? std::exp(double(value) - double(top)) : 0;
  return sum > 0 ? std::log(sum) + double(top) : double(kForbidden);
}

int32_t required(const NodeSpec& node, const char* name) {
  const int32_t token = token_attribute(node, name, -1);
  if (token < 0) throw Error(ErrorKind::kModel, str(name, " must be given where timestamps are asked for"));
  return token;
}

}  // namespace

WhisperTokens::WhisperTokens(const NodeSpec& node)
    : end(required(node, "eos_token_id")),
      start(required(node, "decoder_start_token_id")),
      translate(required(node, "translate_token_id")),
      transcribe(required(node, "transcribe_token_id")),
      start_of_lm(required(node, "start_of_lm_token_id")),
      no_timestamps(required(node, "no_timestamps_token_id")),
      first_timestamp(required(node, "beginning_timestamp_token_id")) {}

void apply_timestamp_rules(const WhisperTokens& named, std::span<const int32_t> tokens, std::span<float> scores) {
  const int64_t first = named.first_timestamp, all = std::ssize(scores);
  const auto is_timestamp = [&](int32_t token) { return token >= named.first_timestamp; };
  const auto found = std::ranges::find_if(tokens, is_timestamp);
  const bool any = found != tokens.end();
  const bool spoken = any && found + 1 != tokens.end();  // whether a token follows the first timestamp
  forbid(scores, named.no_timestamps);
  forbid(scores, named.start_of_lm);
  if (spoken) {
    for (const int32_t token : {named.start, named.translate, named.transcribe}) forbid(scores, token);
  }
  const bool after_one = is_timestamp(tokens.back());
  const bool paired = !spoken || is_timestamp(tokens[tokens.size() - 2]);
  if (after_one && paired) forbid(scores, first, all);
  if (after_one && !paired) forbid(scores, 0, named.end);
  if (any) {
    const int32_t last = *std::find_if(tokens.rbegin(), tokens.rend(), is_timestamp);
    forbid(scores, first, after_one && !paired ? last : int64_t{last} + 1);
  }
  if (!spoken) forbid(scores, first + kLastFirst + 1, all);
  if (first <= 0 || first >= all) return;
  const auto text = scores.first(size_t(first));
  if (log_sum(scores.subspan(size_t(first))) > double(*std::ranges::max_element(text))) forbid(scores, 0, first);
}

}  // namespace linnet
