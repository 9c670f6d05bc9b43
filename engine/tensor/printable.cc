#include "tensor/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace linnet {
namespace {

uint8_t byte_at(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

bool is_tail(std::string_view text, size_t i) { return i < text.size() && (byte_at(text, i) & 0xc0) == 0x80; }

/// The number of bytes of the UTF-8 sequence that begins at i; 0 if it is not valid.
size_t sequence_bytes(std::string_view text, size_t i, uint32_t& code) {
  const uint8_t lead = byte_at(text, i);
  const size_t count = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  code = count <= 1 ? lead : lead & (0x7fu >> count);
  for (size_t k = 1; k < count; ++k) {
    if (!is_tail(text, i + k)) return 0;
    code = code << 6 | (byte_at(text, i + k) & 0x3fu);
  }
  const bool too_long = (count == 3 && code < 0x800) || (count == 4 && code < 0x10000);
  return too_long || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : count;
}

struct CodeRange {
  uint32_t first, last;
};

// Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt), which contains every Bidi_Control, and the
// separators of lines and paragraphs. Such characters make a text look like another one or are invisible.
// Source: Boucher and Anderson, "Trojan Source", 2021.
constexpr std::array<CodeRange, 17> kHidden = {{
    {0xad, 0xad},
    {0x34f, 0x34f},
    {0x61c, 0x61c},
    {0x115f, 0x1160},
    {0x17b4, 0x17b5},
    {0x180b, 0x180f},
    {0x200b, 0x200f},
    {0x2028, 0x202e},
    {0x2060, 0x206f},
    {0x3164, 0x3164},
    {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},
    {0xfff0, 0xfff8},
    {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff},
}};

// The other hidden characters are controls of ASCII and Latin-1.
bool is_shown(uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  const auto* range = std::ranges::lower_bound(kHidden, code, {}, &CodeRange::last);
  return range == kHidden.end() || code < range->first;
}

void append_escaped(std::string& text, std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::array<char, 5> escape{};
    std::snprintf(escape.data(), escape.size(), "\\x%02x", unsigned{byte_at(bytes, i)});
    text += escape.data();
  }
}

// Cuts out the middle, between complete UTF-8 sequences.
std::string shortened(const std::string& text) {
  constexpr std::string_view kLeftOut = " ... ";
  constexpr size_t kBeginning = kMostMessageBytes / 8 * 5;
  size_t end = kBeginning, begin = text.size() - (kMostMessageBytes - kBeginning - kLeftOut.size());
  while (end > 0 && is_tail(text, end)) --end;
  while (is_tail(text, begin)) ++begin;
  return text.substr(0, end).append(kLeftOut).append(text, begin);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    uint32_t code = 0;
    const size_t count = sequence_bytes(text, i, code);
    if (count > 0 && is_shown(code)) {
      result.append(text, i, count);
    } else {
      append_escaped(result, text.substr(i, std::max<size_t>(count, 1)));
    }
    i += std::max<size_t>(count, 1);
  }
  return result;
}

Error printable(const Error& error) {
  const std::string text = printable(error.message());
  return {error.kind(), text.size() > kMostMessageBytes ? shortened(text) : text};
}

}  // namespace linnet
