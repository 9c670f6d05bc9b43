#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "partition/checkpoints.h"
#include "tensor/counted_memory.h"

namespace re2 {
class RE2;
}

namespace linnet {

/// A regular expression of RE2 over UTF-8. RE2 cannot be interrupted, so a match that may exceed the deadline throws
/// Error(kLimit). The estimate is the bytes of the text times the instructions of the pattern. The maximum memory of
/// RE2 for a pattern counts from construction on. Thread-safe.
class Regex {
 public:
  enum class Prefers { kFirst, kLongest };  ///< Which of the matches that begin at one place is returned.

  /// Throws Error(kModel) if the pattern is not a valid RE2 expression.
  explicit Regex(const std::string& pattern, Prefers prefers = Prefers::kFirst);

  bool matches_whole(std::string_view text, Checkpoints& checkpoints) const;
  /// Returns the first match that begins at `begin` or later, a part of `text`.
  std::optional<std::string_view> find(std::string_view text, size_t begin, Checkpoints& checkpoints) const;

 private:
  void check_time(size_t bytes, Checkpoints& checkpoints) const;

  std::shared_ptr<CountedMemory> counted_;
  std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace linnet
