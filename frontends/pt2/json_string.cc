#include "json_string.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace linnet::pt2 {
namespace {

constexpr uint32_t kFirstHigh = 0xd800, kFirstLow = 0xdc00, kBehindLow = 0xe000;  // surrogates of UTF-16

bool is_between(unsigned char byte, int least, int most) { return byte >= least && byte <= most; }

void append_utf8(std::string& text, uint32_t code) {
  const auto follow = [&](int shift) { text += char(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    text += char(code);
  } else if (code < 0x800) {
    text += char(0xc0 | (code >> 6));
    follow(0);
  } else if (code < 0x10000) {
    text += char(0xe0 | (code >> 12));
    follow(6);
    follow(0);
  } else {
    text += char(0xf0 | (code >> 18));
    follow(12);
    follow(6);
    follow(0);
  }
}

/// Converts a string with escapes, from left to right.
class Unescaper {
 public:
  explicit Unescaper(std::string_view text) : text_(text) {}

  std::optional<std::string> run() {
    while (!text_.empty()) {
      const size_t plain = std::min(text_.find('\\'), text_.size());
      result_ += text_.substr(0, plain);
      text_.remove_prefix(plain);
      if (!text_.empty() && !escape()) return std::nullopt;
    }
    return std::move(result_);
  }

 private:
  /// Converts the escape at the beginning of the remaining text.
  bool escape() {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (text_.size() < 2) return false;
    if (text_[1] == 'u') return code_point();
    const size_t which = kLetters.find(text_[1]);
    if (which == std::string_view::npos) return false;
    result_ += kMeant[which];
    text_.remove_prefix(2);
    return true;
  }

  /// Converts "\u00e9" or a surrogate pair of such escapes.
  bool code_point() {
    std::optional<uint32_t> code = unit();
    if (!code || (*code >= kFirstLow && *code < kBehindLow)) return false;
    if (*code >= kFirstHigh && *code < kFirstLow) {
      const std::optional<uint32_t> low = unit();
      if (!low || *low < kFirstLow || *low >= kBehindLow) return false;
      code = 0x10000 + ((*code - kFirstHigh) << 10) + (*low - kFirstLow);
    }
    append_utf8(result_, *code);
    return true;
  }

  std::optional<uint32_t> unit() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (!text_.starts_with("\\u") || text_.size() < 6) return std::nullopt;
    uint32_t value = 0;
    for (const char c : text_.substr(2, 4)) {
      const size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? char(c - 'A' + 'a') : c);
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * 16 + uint32_t(digit);
    }
    text_.remove_prefix(6);
    return value;
  }

  std::string_view text_;
  std::string result_;
};

}  // namespace

size_t utf8_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t bytes = is_between(first, 0xc2, 0xdf) ? 2 : is_between(first, 0xe0, 0xef) ? 3 : 4;
  if (!is_between(first, 0xc2, 0xf4) || text.size() < bytes) return 0;
  // Rejects overlong encodings, surrogates, and code points beyond U+10FFFF.
  const int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const int most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (!is_between(byte(1), least, most)) return 0;
  for (size_t i = 2; i < bytes; ++i) {
    if (!is_between(byte(i), 0x80, 0xbf)) return 0;
  }
  return bytes;
}

std::optional<std::string> unescaped(std::string_view text) { return Unescaper(text).run(); }

}  // namespace linnet::pt2
