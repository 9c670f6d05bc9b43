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

/// A regular expression of RE2 over UTF-8. RE2 cannot be interrupted, so a match that may take longer than the deadline
/// allows, by the bytes of the text times the instructions of the pattern, throws Error(kLimit). The memory that RE2
/// may take for a pattern counts from the beginning. Thread-safe.
class Regex {
 public:
  enum class Prefers { kFirst, kLongest };  ///< of the matches that begin at one place

  /// Throws Error(kModel) where the pattern is no RE2 expression.
  explicit Regex(const std::string& pattern, Prefers prefers = Prefers::kFirst);

  bool matches_whole(std::string_view text, Checkpoints& checkpoints) const;
  /// The first match that begins at `begin` or later, a part of `text`.
  std::optional<std::string_view> find(std::string_view text, size_t begin, Checkpoints& checkpoints) const;

 private:
  void check_time(size_t bytes, Checkpoints& checkpoints) const;

  std::shared_ptr<CountedMemory> counted_;
  std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace linnet
