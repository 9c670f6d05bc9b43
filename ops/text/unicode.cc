#include "text/unicode.h"

#include <unicase.h>
#include <unictype.h>
#include <unistr.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "linnet/error.h"

namespace linnet {
namespace {

using MapCase = decltype(u8_toupper);

const uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

bool is_ascii(const std::string& text) {
  unsigned all = 0;
  for (const char c : text) all |= uint8_t(c);
  return all < 0x80;
}

/// Returns the text with the 26 ASCII letters from `first` on in the other case.
std::string with_other_case(std::string text, char first) {
  char* letters = text.data();
  for (size_t i = 0, n = text.size(); i < n; ++i) {
    letters[i] = uint8_t(letters[i] - first) < 26 ? char(letters[i] ^ 0x20) : letters[i];
  }
  return text;
}

std::string map_case(MapCase& map, const std::string& language, const std::string& text) {
  if (u8_check(bytes_of(text), text.size())) throw Error(ErrorKind::kModel, "text must be valid UTF-8");
  size_t length = 0;
  const std::unique_ptr<uint8_t, decltype(&std::free)> mapped(
      map(bytes_of(text), text.size(), language.c_str(), nullptr, nullptr, &length), std::free);
  if (!mapped) throw std::bad_alloc();
  return {mapped.get(), mapped.get() + length};
}

struct Character {
  size_t bytes;
  bool white;
};

Character first_character(std::string_view text) {
  if (const auto first = uint8_t(text[0]); first < 0x80) return {1, first == ' ' || (first >= '\t' && first <= '\r')};
  ucs4_t code;
  const int bytes = u8_mbtoucr(&code, bytes_of(text), text.size());
  return bytes > 0 ? Character{size_t(bytes), uc_is_property_white_space(code)} : Character{1, false};
}

/// Returns the bytes of `text` before the first character that is not white space if `white`, or else that is.
size_t span(std::string_view text, bool white) {
  size_t end = 0;
  while (end < text.size()) {
    const Character character = first_character(text.substr(end));
    if (character.white != white) break;
    end += character.bytes;
  }
  return end;
}

std::string_view without_white_end(std::string_view text) {
  size_t end = 0;
  for (size_t i = 0; i < text.size();) {
    i += span(text.substr(i), true);
    const size_t word = span(text.substr(i), false);
    i += word;
    if (word > 0) end = i;
  }
  return text.substr(0, end);
}

/// Returns the language of a locale: "tr" for "tr_TR.UTF-8".
std::string language_of(std::string_view locale) {
  std::string language(locale.substr(0, locale.find_first_of("_-.@")));
  for (char& letter : language) letter = letter >= 'A' && letter <= 'Z' ? char(letter - 'A' + 'a') : letter;
  return language;
}

}  // namespace

CaseMap::CaseMap(std::string_view locale)
    : language_(language_of(locale)), maps_ascii_(language_ != "tr" && language_ != "az" && language_ != "lt") {}

std::string CaseMap::upper(const std::string& text) const {
  return maps_ascii_ && is_ascii(text) ? with_other_case(text, 'a') : map_case(u8_toupper, language_, text);
}
std::string CaseMap::lower(const std::string& text) const {
  return maps_ascii_ && is_ascii(text) ? with_other_case(text, 'A') : map_case(u8_tolower, language_, text);
}
std::string CaseMap::fold(const std::string& text) const {
  return maps_ascii_ && is_ascii(text) ? with_other_case(text, 'A') : map_case(u8_casefold, language_, text);
}

void split_at_white_space(std::string_view text, int64_t most_splits, CountedVector<std::string_view>& pieces) {
  text = without_white_end(text);
  for (int64_t splits = 0;; ++splits) {
    text.remove_prefix(span(text, true));
    if (text.empty()) return;
    const size_t end = splits == most_splits ? text.size() : span(text, false);
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

}  // namespace linnet
