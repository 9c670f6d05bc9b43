#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/counted_vector.h"

// UTF-8 text, by libunistring. Invalid UTF-8 is an Error(kModel) in the functions that change case.
namespace linnet {

/// Changes the case of UTF-8 text by the full rules of Unicode ("ß" becomes "SS"), those that depend on their
/// neighbours included, and by the rules of one language.
class CaseMap {
 public:
  /// locale: a POSIX name ("tr", "en_US", "en_US.UTF-8"). Turkish, Azerbaijani and Lithuanian have rules of their own;
  /// all other languages, also unknown ones, have the common ones.
  explicit CaseMap(std::string_view locale);

  std::string upper(const std::string& text) const;
  std::string lower(const std::string& text) const;
  /// A form that is equal for texts that differ only in case.
  std::string fold(const std::string& text) const;

 private:
  std::string language_;
  bool maps_ascii_;  ///< as all but a few languages do
};

/// Splits UTF-8 text at white space, as Unicode defines it: adds the pieces between runs of it, without those at the
/// ends. After `most_splits` splits the rest is one piece; negative: no limit. Bytes that are not UTF-8 are no white
/// space.
void split_at_white_space(std::string_view text, int64_t most_splits, CountedVector<std::string_view>& pieces);

}  // namespace linnet
