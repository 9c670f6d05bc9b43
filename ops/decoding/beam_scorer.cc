#include "decoding/beam_scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "decoding/store_scores.h"
#include "linnet/shape.h"

namespace linnet {
namespace {

// The initial score of all beams of a prompt but the first, so that the first step does not pick equal beams.
constexpr float kUnlikely = -1e9F;

}  // namespace

BeamScorer::BeamScorer(const Rules& rules, int64_t batch, int64_t beams)
    : rules_(rules), batch_(batch), beams_(beams), open_(batch) {
  const auto rows = size_t(checked_mul(batch, beams));
  sums_.assign(rows, kUnlikely);
  for (size_t i = 0; i < rows; i += size_t(beams)) sums_[i] = 0;
  rows_.resize(rows);
  tokens_.resize(rows);
  prompts_.resize(size_t(batch));
}

void BeamScorer::accumulate(std::span<float> scores) const {
  Checkpoints checkpoints;
  const size_t vocabulary = scores.size() / sums_.size();
  for (size_t row = 0; row < sums_.size(); ++row) {
    for (float& score : scores.subspan(row * vocabulary, vocabulary)) score += sums_[row];
    checkpoints.add(int64_t(vocabulary));
  }
}

bool BeamScorer::better(const Candidate& a, const Candidate& b) {
  return a.score > b.score || (a.score == b.score && a.index < b.index);
}

void BeamScorer::pick(std::span<const float> scores, const Sequences& sequences) {
  Checkpoints checkpoints;
  const size_t of_prompt = scores.size() / size_t(batch_);
  for (int64_t prompt = 0; prompt < batch_; ++prompt) {
    if (prompts_[size_t(prompt)].done) {
      skip(prompt);
      continue;
    }
    find_candidates(scores.subspan(size_t(prompt) * of_prompt, of_prompt), checkpoints);
    pick_for(prompt, int64_t(of_prompt) / beams_, sequences);
  }
}

/// Finds the best two candidates per beam. At most one of them ends the beam, so that enough go on.
void BeamScorer::find_candidates(std::span<const float> scores, Checkpoints& checkpoints) {
  const auto count = size_t(checked_mul(beams_, 2));
  candidates_.clear();
  for (size_t i = 0; i < scores.size(); ++i) {
    const float score = std::isnan(scores[i]) ? -std::numeric_limits<float>::infinity() : scores[i];
    const Candidate candidate{score, int64_t(i)};
    if (candidates_.size() == count) {
      if (!better(candidate, candidates_.front())) continue;
      std::pop_heap(candidates_.begin(), candidates_.end(), better);
      candidates_.pop_back();
    }
    candidates_.push_back(candidate);
    std::push_heap(candidates_.begin(), candidates_.end(), better);
    checkpoints.add(32);
  }
  checkpoints.add(int64_t(scores.size()));
  checkpoints.sort(candidates_.begin(), candidates_.end(), better);
}

void BeamScorer::pick_for(int64_t prompt, int64_t vocabulary, const Sequences& sequences) {
  Prompt& found = prompts_[size_t(prompt)];
  const int64_t first = prompt * beams_;
  int64_t picked = 0;
  for (size_t i = 0; picked < beams_; ++i) {
    const auto& [sum, index] = candidates_[i];
    const int64_t row = first + index / vocabulary;
    const auto token = int32_t(index % vocabulary);
    if (token == rules_.eos_token_id) {
      if (int64_t(i) < beams_) end(found, sequences.row(row), sum);
      continue;
    }
    const auto at = size_t(first + picked++);
    sums_[at] = sum;
    rows_[at] = row;
    tokens_[at] = token;
  }
  if (int64_t(found.ended.size()) < beams_) return;
  const bool can_improve = found.ended.back().score < score(candidates_.front().score, sequences.length());
  found.done = rules_.early_stopping || !can_improve;
  open_ -= found.done ? 1 : 0;
}

/// Continues the rows of a finished prompt with padding.
void BeamScorer::skip(int64_t prompt) {
  const auto first = checked_mul(prompt, beams_);
  std::fill_n(sums_.begin() + first, beams_, 0.0F);
  std::fill_n(rows_.begin() + first, beams_, 0);
  std::fill_n(tokens_.begin() + first, beams_, rules_.pad_token_id);
}

float BeamScorer::score(float sum, int64_t length) const {
  return sum / std::pow(float(length), rules_.length_penalty);
}

void BeamScorer::end(Prompt& prompt, std::span<const int32_t> tokens, float sum) {
  const float reached = score(sum, int64_t(tokens.size()));
  auto& ended = prompt.ended;
  if (int64_t(ended.size()) == beams_) {
    if (!(reached > ended.back().score)) return;
    ended.pop_back();
  }
  const auto at = std::ranges::find_if(ended, [&](const Ended& other) { return reached > other.score; });
  ended.insert(at, {reached, {tokens.begin(), tokens.end()}});
}

void BeamScorer::finish(const Sequences& sequences) {
  for (int64_t row = 0; row < sequences.rows(); ++row) {
    Prompt& prompt = prompts_[size_t(row / beams_)];
    if (!prompt.done) end(prompt, sequences.row(row), sums_[size_t(row)]);
  }
}

void BeamScorer::write_sequences(Tensor& result) const {
  Checkpoints checkpoints;
  const int64_t best = result.dim(1), length = result.dim(2);
  for (int64_t i = 0; i < batch_ * best; ++i) {
    const auto& tokens = prompts_[size_t(i / best)].ended[size_t(i % best)].tokens;
    int32_t* to = std::ranges::copy(tokens, result.data<int32_t>() + i * length).out;
    checkpoints.in_parts(length - int64_t(tokens.size()), 1,
                         [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, rules_.pad_token_id); });
  }
}

void BeamScorer::write_scores(Tensor& result) const {
  const int64_t best = result.dim(1);
  for (int64_t i = 0; i < batch_ * best; ++i) {
    store_score(result, i, prompts_[size_t(i / best)].ended[size_t(i % best)].score);
  }
}

}  // namespace linnet
