#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/counted_vector.h"

// UTF-8 text, by libunistring. Functions that change case throw Error(kModel) for invalid UTF-8.
namespace linnet {

/// Changes the case of UTF-8 text by the full rules of Unicode ("ß" becomes "SS"), including context-dependent ones,
/// and by the rules of one language.
class CaseMap {
 public:
  /// locale: a POSIX name ("tr", "en_US", "en_US.UTF-8"). Turkish, Azerbaijani and Lithuanian have special rules. All
  /// other languages, including unknown ones, use the common rules.
  explicit CaseMap(std::string_view locale);

  std::string upper(const std::string& text) const;
  std::string lower(const std::string& text) const;
  /// Returns a form that is equal for texts that differ only in case.
  std::string fold(const std::string& text) const;

 private:
  std::string language_;
  bool maps_ascii_;  ///< Whether ASCII letters map to ASCII letters, as in all but a few languages.
};

/// Splits UTF-8 text at white space as Unicode defines it. Adds the pieces between runs of white space, without those
/// at the ends. After `most_splits` splits, the remainder is one piece; a negative number sets no limit. Bytes that are
/// not UTF-8 are not white space.
void split_at_white_space(std::string_view text, int64_t most_splits, CountedVector<std::string_view>& pieces);

}  // namespace linnet
