#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// UTF-8 text, by ICU. Invalid UTF-8 is an Error(kModel) in the functions that change case.
namespace linnet {

/// Changes the case of UTF-8 text by the full rules of Unicode ("ß" becomes "SS"), those that depend on their
/// neighbours included, and by the rules of one language.
class CaseMap {
 public:
  /// locale: as ICU or POSIX name them ("tr", "en_US", "en_US.UTF-8"). Languages with rules of their own are Turkish,
  /// Azerbaijani, Lithuanian, Greek, Dutch and Armenian; all others, also unknown ones, have the common ones.
  explicit CaseMap(const std::string& locale);
  ~CaseMap();
  CaseMap(const CaseMap&) = delete;
  CaseMap& operator=(const CaseMap&) = delete;

  std::string upper(const std::string& text) const;
  std::string lower(const std::string& text) const;
  /// A form that is equal for texts that differ only in case.
  std::string fold(const std::string& text) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Splits UTF-8 text at white space, as Unicode defines it.
class WhiteSpaceSplitter {
 public:
  WhiteSpaceSplitter();
  ~WhiteSpaceSplitter();
  WhiteSpaceSplitter(const WhiteSpaceSplitter&) = delete;
  WhiteSpaceSplitter& operator=(const WhiteSpaceSplitter&) = delete;

  /// The pieces between runs of white space, without those at the ends. After `most_splits` splits the rest is one
  /// piece; negative: no limit. Bytes that are not UTF-8 are no white space.
  std::vector<std::string_view> split(std::string_view text, int64_t most_splits) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linnet
