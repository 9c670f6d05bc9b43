#include "tensor/printable.h"

#include <gtest/gtest.h>

namespace linnet::testing {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  for (const std::string text : {"", "Conv 'a/b:0'", "Grüße, 日本語, 🙂"}) EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatTerminalsObey) {
  EXPECT_EQ(printable("\x1b[31mred\x07\n"), "\\x1b[31mred\\x07\\x0a");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");             // the control sequence introducer of Latin-1
  EXPECT_EQ(printable("a\xe2\x80\xae"), "a\\xe2\\x80\\xae");  // the right-to-left override
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
}

std::string utf8(uint32_t code) {
  const auto tail = [&](int shift) { return char(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x800) return {char(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {char(0xe0 | code >> 12), tail(6), tail(0)};
  return {char(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

TEST(Printable, EscapesEveryCharacterThatHidesOrTurnsText) {
  for (const uint32_t code : {0x61cu, 0x200eu, 0x200fu, 0x202au, 0x202eu, 0x2066u, 0x2069u}) {  // Bidi_Control
    EXPECT_NE(printable(utf8(code)), utf8(code)) << std::hex << code;
  }
  for (const uint32_t code : {0xadu, 0x200bu, 0x3164u, 0xfe0fu, 0xfeffu, 0xe0001u, 0xe0fffu}) {
    EXPECT_NE(printable(utf8(code)), utf8(code)) << std::hex << code;
  }
  int escaped = 0;
  for (uint32_t code = 0xa0; code < 0x110000; ++code) {
    if (code < 0xd800 || code >= 0xe000) escaped += int(printable(utf8(code)) != utf8(code));
  }
  EXPECT_EQ(escaped, 4174 + 2);  // DerivedCoreProperties.txt has 4174 ignorable code points; also U+2028 and U+2029
}

TEST(Printable, EscapesBytesThatAreNoUtf8) {
  for (const std::string text : {"\xff", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe6\x97"}) {
    const std::string shown = printable(text);
    EXPECT_EQ(shown.size(), 4 * text.size()) << shown;
    EXPECT_EQ(printable(shown), shown);
  }
}

TEST(Printable, MessagesKeepTheirBeginningAndEndWithinTheLimit) {
  std::string text = "begin ";
  while (text.size() < 100'000) text += "ü\x01日";
  const Error error = printable(Error(ErrorKind::kShape, text + " end"));
  EXPECT_EQ(error.kind(), ErrorKind::kShape);
  EXPECT_LE(error.message().size(), kMostMessageBytes);
  EXPECT_GE(error.message().size(), kMostMessageBytes - 8);
  EXPECT_TRUE(error.message().starts_with("begin ü"));
  EXPECT_TRUE(error.message().ends_with(" end"));
  EXPECT_EQ(printable(error).message(), error.message());
}

}  // namespace
}  // namespace linnet::testing
