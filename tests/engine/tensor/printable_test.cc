#include "tensor/printable.h"

#include <gtest/gtest.h>

namespace linnet {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  for (const std::string text : {"", "Conv 'a/b:0'", "Grüße, 日本語, 🙂"}) EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatTerminalsObey) {
  EXPECT_EQ(printable("\x1b[31mred\x07\n"), "\\x1b[31mred\\x07\\x0a");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");             // the control sequence introducer of Latin-1
  EXPECT_EQ(printable("a\xe2\x80\xae"), "a\\xe2\\x80\\xae");  // from right to left
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
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
}  // namespace linnet
