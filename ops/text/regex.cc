#include "text/regex.h"

#include <re2/re2.h>

#include <algorithm>
#include <chrono>

namespace linnet {
namespace {

// The estimated time of RE2 for each instruction of the pattern and byte of the text, if its automaton outgrows its
// memory.
constexpr int64_t kNanoseconds = 10;

}  // namespace

Regex::Regex(const std::string& pattern, Prefers prefers) : counted_(std::make_shared<CountedMemory>()) {
  RE2::Options options;
  counted_->add(size_t(options.max_mem()));
  options.set_log_errors(false);
  options.set_longest_match(prefers == Prefers::kLongest);
  regex_ = std::make_shared<const RE2>(pattern, options);
  if (!regex_->ok()) {
    throw Error(ErrorKind::kModel, str("pattern '", pattern, "' is not an RE2 expression: ", regex_->error()));
  }
}

bool Regex::matches_whole(std::string_view text, Checkpoints& checkpoints) const {
  check_time(text.size(), checkpoints);
  return RE2::FullMatch({text.data(), text.size()}, *regex_);
}

std::optional<std::string_view> Regex::find(std::string_view text, size_t begin, Checkpoints& checkpoints) const {
  check_time(text.size() - begin, checkpoints);
  re2::StringPiece found;
  if (!regex_->Match({text.data(), text.size()}, begin, text.size(), RE2::UNANCHORED, &found, 1)) return std::nullopt;
  return std::string_view(found.data(), found.size());
}

void Regex::check_time(size_t bytes, Checkpoints& checkpoints) const {
  const int64_t instructions = std::max(1, regex_->ProgramSize());
  const int64_t most = checked_mul(checked_mul(instructions, kNanoseconds), int64_t(bytes));
  if (most > Checkpoints::kWork) check_current_ahead(std::chrono::nanoseconds(most));
  checkpoints.add(std::min(most, int64_t(bytes)));
}

}  // namespace linnet
