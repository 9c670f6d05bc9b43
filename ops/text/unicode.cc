#include "text/unicode.h"

#include <unicode/ucasemap.h>
#include <unicode/uloc.h>
#include <unicode/uset.h>
#include <unicode/ustring.h>

#include "linnet/error.h"

namespace linnet {
namespace {

using MapCase = int32_t (*)(const UCaseMap*, char*, int32_t, const char*, int32_t, UErrorCode*);

void check(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) throw Error(ErrorKind::kInternal, str("ICU: ", what, ": ", u_errorName(status)));
}

int32_t checked_length(std::string_view text) {
  if (text.size() > INT32_MAX / 4) throw Error(ErrorKind::kLimit, str("a text of ", text.size(), " bytes is too long"));
  return int32_t(text.size());
}

void check_utf8(const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  int32_t length;
  u_strFromUTF8(nullptr, 0, &length, text.data(), checked_length(text), &status);
  if (status == U_INVALID_CHAR_FOUND) throw Error(ErrorKind::kModel, "text must be valid UTF-8");
}

std::string map_case(MapCase map, const UCaseMap* rules, const std::string& text) {
  check_utf8(text);
  std::string result(text.size() + 16, '\0');
  for (;;) {
    UErrorCode status = U_ZERO_ERROR;
    const int32_t length =
        map(rules, result.data(), int32_t(result.size()), text.data(), int32_t(text.size()), &status);
    const bool fits = status != U_BUFFER_OVERFLOW_ERROR;
    if (fits) check(status, "changing case");
    result.resize(size_t(length));
    if (fits) return result;
  }
}

}  // namespace

struct CaseMap::Impl {
  UCaseMap* rules = nullptr;
};

CaseMap::CaseMap(const std::string& locale) : impl_(std::make_unique<Impl>()) {
  UErrorCode status = U_ZERO_ERROR;
  char name[ULOC_FULLNAME_CAPACITY] = {};
  uloc_canonicalize(locale.c_str(), name, ULOC_FULLNAME_CAPACITY - 1, &status);
  if (U_FAILURE(status)) throw Error(ErrorKind::kModel, str("locale '", locale, "' is not the name of one"));
  const std::string language = std::string(name).substr(0, 2);
  const bool turkic = (language == "tr" || language == "az") && (name[2] == '\0' || name[2] == '_');
  impl_->rules = ucasemap_open(name, turkic ? U_FOLD_CASE_EXCLUDE_SPECIAL_I : U_FOLD_CASE_DEFAULT, &status);
  check(status, "opening a case map");
}

CaseMap::~CaseMap() { ucasemap_close(impl_->rules); }

std::string CaseMap::upper(const std::string& text) const { return map_case(ucasemap_utf8ToUpper, impl_->rules, text); }
std::string CaseMap::lower(const std::string& text) const { return map_case(ucasemap_utf8ToLower, impl_->rules, text); }
std::string CaseMap::fold(const std::string& text) const { return map_case(ucasemap_utf8FoldCase, impl_->rules, text); }

struct WhiteSpaceSplitter::Impl {
  USet* set = nullptr;

  /// Bytes of `text` up to the first character that is white space, or is not.
  size_t span(std::string_view text, bool white) const {
    return size_t(
        uset_spanUTF8(set, text.data(), int32_t(text.size()), white ? USET_SPAN_CONTAINED : USET_SPAN_NOT_CONTAINED));
  }
};

WhiteSpaceSplitter::WhiteSpaceSplitter() : impl_(std::make_unique<Impl>()) {
  UErrorCode status = U_ZERO_ERROR;
  impl_->set = uset_openPattern(u"[:White_Space:]", -1, &status);
  check(status, "opening the set of white space");
  uset_freeze(impl_->set);
}

WhiteSpaceSplitter::~WhiteSpaceSplitter() { uset_close(impl_->set); }

std::vector<std::string_view> WhiteSpaceSplitter::split(std::string_view text, int64_t most_splits) const {
  const int32_t length = checked_length(text);
  text = text.substr(0, size_t(uset_spanBackUTF8(impl_->set, text.data(), length, USET_SPAN_CONTAINED)));
  std::vector<std::string_view> pieces;
  for (;;) {
    text.remove_prefix(impl_->span(text, true));
    if (text.empty()) return pieces;
    const bool last = most_splits >= 0 && int64_t(pieces.size()) == most_splits;
    const size_t end = last ? text.size() : impl_->span(text, false);
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

}  // namespace linnet
