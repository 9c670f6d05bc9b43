#include "report/utf.h"

#include <cstdint>

namespace linnet::tool {
namespace {

void append_utf8(std::string& text, uint32_t code) {
  if (code < 0x80) {
    text.push_back(char(code));
    return;
  }
  const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr uint32_t kLead[]{0, 0xc0, 0xe0, 0xf0};
  text.push_back(char(kLead[tail] | (code >> (6 * tail))));
  for (int i = tail - 1; i >= 0; --i) text.push_back(char(0x80 | ((code >> (6 * i)) & 0x3f)));
}

/// The number of bytes that follow a lead byte; -1 for a byte that cannot lead.
int tail_bytes(uint8_t lead) {
  if (lead < 0x80) return 0;
  if (lead >= 0xc2 && lead < 0xe0) return 1;
  if (lead >= 0xe0 && lead < 0xf0) return 2;
  if (lead >= 0xf0 && lead < 0xf5) return 3;
  return -1;
}

bool is_tail(const std::string& text, size_t at) { return at < text.size() && (uint8_t(text[at]) & 0xc0) == 0x80; }

}  // namespace

std::string utf8_from_utf32(std::span<const std::byte> bytes) {
  std::string text;
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    uint32_t code = 0;
    for (size_t byte = 0; byte < 4; ++byte) code |= uint32_t(bytes[i + byte]) << (8 * byte);
    append_utf8(text, code);
  }
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

void for_each_code(const std::string& text, const std::function<void(char32_t)>& f) {
  constexpr char32_t kReplacement = 0xfffd;
  for (size_t i = 0; i < text.size();) {
    const auto lead = uint8_t(text[i++]);
    const int tail = tail_bytes(lead);
    char32_t code = tail <= 0 ? lead : lead & (0x3f >> tail);
    int taken = 0;
    for (; taken < tail && is_tail(text, i); ++taken) code = (code << 6) | (uint8_t(text[i++]) & 0x3f);
    f(tail < 0 || taken < tail ? kReplacement : code);
  }
}

size_t utf32_length(const std::string& text) {
  size_t length = 0;
  for_each_code(text, [&](char32_t) { ++length; });
  return length;
}

std::u32string utf32_from_utf8(const std::string& text) {
  std::u32string codes;
  for_each_code(text, [&](char32_t code) { codes.push_back(code); });
  return codes;
}

}  // namespace linnet::tool
