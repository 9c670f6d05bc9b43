#include "decoding/next_scores.h"

#include <algorithm>
#include <limits>

#include "partition/parallel.h"

namespace linnet {
namespace {

void forbid_masked(std::span<float> scores, const int32_t* mask) {
  for (size_t i = 0; i < scores.size(); ++i) scores[i] = mask[i] == 0 ? kForbidden : scores[i];
}

void copy_logits(const Tensor& logits, int64_t position, std::span<float> to) {
  const int64_t first = position * logits.dim(2);
  if (logits.dtype() == DType::kFloat32) {
    std::copy_n(logits.data<float>() + first, to.size(), to.begin());
  } else {
    std::copy_n(logits.data<Half>() + first, to.size(), to.begin());
  }
}

}  // namespace

NextScores::NextScores(const SearchAttributes& attributes, const SearchInputs& inputs, int64_t batch,
                       SoftmaxKernels::Rows log_softmax)
    : attributes_(attributes),
      inputs_(inputs),
      batch_(batch),
      log_softmax_(log_softmax),
      min_length_(inputs.integer(inputs.places().min_length, "min_length", std::numeric_limits<int32_t>::min(), 0)),
      repetition_penalty_(inputs.number(inputs.places().repetition_penalty, "repetition_penalty", 1)) {
  if (!(repetition_penalty_ > 0)) {
    throw Error(ErrorKind::kShape, str("repetition_penalty must be positive, got ", repetition_penalty_));
  }
}

void NextScores::update(const Tensor& logits, const Sequences& sequences, Executor& executor) {
  begin(logits, sequences);
  const int64_t length = logits.dim(1);
  parallel_items(executor, sequences.rows(), checked_mul(vocabulary_, 4), [&](int64_t i, int64_t end, int) {
    Checkpoints checkpoints;
    for (; i < end; ++i) {
      const int64_t prompt = i / sequences.beams();
      copy_logits(logits, (first_step_ ? prompt : i) * length + length - 1, row(i));
      if (log_softmax_) log_softmax_(row(i).data(), row(i).data(), 1, vocabulary_);
      apply_rules(row(i), sequences.row(i), prompt, checkpoints);
      checkpoints.add(vocabulary_);
    }
  });
  first_step_ = false;
}

void NextScores::begin(const Tensor& logits, const Sequences& sequences) {
  if (logits.dtype() != DType::kFloat32 && logits.dtype() != DType::kFloat16) {
    throw Error(ErrorKind::kType, str("logits must be float32 or float16, got ", describe(logits)));
  }
  const int64_t rows = first_step_ ? sequences.batch() : sequences.rows();
  const int64_t least = std::max<int64_t>(1, vocabulary_ > 0 ? vocabulary_ : attributes_.vocab_size);
  if (logits.rank() != 3 || logits.dim(0) != rows || logits.dim(1) < 1 || logits.dim(2) < least ||
      logits.dim(2) > std::numeric_limits<int32_t>::max()) {
    throw Error(ErrorKind::kShape,
                str("logits must be [", rows, ", length, vocabulary], with a vocabulary of at least ", least, ", got ",
                    describe(logits)));
  }
  if (!first_step_) return;
  vocabulary_ = attributes_.vocab_size > 0 ? attributes_.vocab_size : logits.dim(2);
  scores_.resize(size_t(checked_mul(sequences.rows(), vocabulary_)));
  const SearchPlaces& places = inputs_.places();
  vocab_mask_ = inputs_.mask(places.vocab_mask, "vocab_mask", {vocabulary_});
  prefix_vocab_mask_ = inputs_.mask(places.prefix_vocab_mask, "prefix_vocab_mask", {batch_, vocabulary_});
  presence_mask_ = inputs_.mask(places.presence_mask, "presence_mask", {batch_, vocabulary_});
}

void NextScores::apply_rules(std::span<float> scores, std::span<const int32_t> tokens, int64_t prompt,
                             Checkpoints& checkpoints) const {
  if (repetition_penalty_ != 1) penalize_repetition(scores, tokens, checkpoints);
  if (attributes_.no_repeat_ngram_size > 0) forbid_ngrams(scores, tokens, checkpoints);
  if (!vocab_mask_.empty()) forbid_masked(scores, vocab_mask_.data());
  if (first_step_ && !prefix_vocab_mask_.empty()) {
    forbid_masked(scores, prefix_vocab_mask_.data() + prompt * vocabulary_);
  }
  const int64_t end = attributes_.eos_token_id;
  if (int64_t(tokens.size()) < min_length_ && end >= 0 && end < vocabulary_) scores[size_t(end)] = kForbidden;
  if (temperature != 1) {
    for (float& score : scores) score = std::max(score / temperature, kForbidden);
  }
  if (!presence_mask_.empty()) {
    const int32_t* mask = presence_mask_.data() + prompt * vocabulary_;
    for (size_t i = 0; i < scores.size(); ++i) scores[i] -= float(mask[i]) * presence_penalty;
  }
  if (timestamps) apply_timestamp_rules(*timestamps, tokens, scores);
}

/// Penalises each token once. The tokens of a prompt may be outside of the vocabulary.
void NextScores::penalize_repetition(std::span<float> scores, std::span<const int32_t> tokens,
                                     Checkpoints& checkpoints) const {
  CountedVector<int32_t> once(tokens.begin(), tokens.end());
  checkpoints.sort(once.begin(), once.end());
  once.erase(std::unique(once.begin(), once.end()), once.end());
  for (const int32_t token : once) {
    if (token < 0 || token >= vocabulary_) continue;
    float& score = scores[size_t(token)];
    score = score < 0 ? score * repetition_penalty_ : score / repetition_penalty_;
  }
  checkpoints.add(int64_t(tokens.size()));
}

/// Forbids every token that would repeat an n-gram of the row.
void NextScores::forbid_ngrams(std::span<float> scores, std::span<const int32_t> tokens,
                               Checkpoints& checkpoints) const {
  const auto size = attributes_.no_repeat_ngram_size, length = int64_t(tokens.size());
  if (size > length) return;
  const auto last = tokens.last(size_t(size - 1));
  for (int64_t i = 0; i + size <= length; ++i) {
    checkpoints.add(size);
    const int32_t token = tokens[size_t(i + size - 1)];
    if (token < 0 || token >= vocabulary_) continue;
    if (std::ranges::equal(tokens.subspan(size_t(i), last.size()), last)) scores[size_t(token)] = kForbidden;
  }
}

}  // namespace linnet
