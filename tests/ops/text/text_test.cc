#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Strings = std::vector<std::string>;

const std::string kNotUtf8 =
    "a\xff"
    "b";

/// Returns false if Linnet is built without libunistring and RE2.
bool with_text() {
  try {
    run_op({"RegexFullMatch", 20, {{"pattern", std::string("a")}}}, {Tensor::of(Strings{"a"})});
    return true;
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), ::testing::HasSubstr("LINNET_WITH_TEXT"));
    return false;
  }
}

class Text : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!with_text()) GTEST_SKIP() << "built without libunistring and RE2";
  }
};
using StringNormalizer = Text;
using StringSplit = Text;
using RegexFullMatch = Text;

Tensor normalize(const Attributes& attributes, const Tensor& x) {
  return run_op({"StringNormalizer", 10, attributes}, {x})[0];
}

TEST_F(StringNormalizer, DropsStopWords) {
  const Tensor x = Tensor::of(Strings{"Monday", "STRASSE", "tuesday", "Straße"});
  const Attribute words = Strings{"monday", "straße"};
  expect_close(normalize({{"stopwords", words}}, x), Tensor::of(Strings{"tuesday"}));
  expect_close(normalize({{"stopwords", words}, {"is_case_sensitive", int64_t{1}}}, x), x);
  const Tensor row = Tensor::of(Shape{1, 2}, Strings{"Monday", "x"});
  expect_close(normalize({{"stopwords", words}}, row), Tensor::of(Shape{1, 1}, Strings{"x"}));
  expect_close(normalize({{"stopwords", Strings{"x", "monday"}}}, row), Tensor::of(Shape{1, 1}, Strings{""}));
  expect_close(normalize({}, Tensor(DType::kString, {0})), Tensor::of(Strings{""}));
}

std::string change(const std::string& action, const std::string& text, const std::string& locale = "en_US.UTF-8") {
  const Tensor y = normalize({{"case_change_action", action}, {"locale", locale}}, Tensor::of(Strings{text}));
  return y.data<std::string>()[0];
}

TEST_F(StringNormalizer, ChangesCaseByTheFullRules) {
  EXPECT_EQ(change("UPPER", "straße ﬁx äé"), "STRASSE FIX ÄÉ");
  EXPECT_EQ(change("LOWER", "ΟΔΟΣ ÀÉ"), "οδος àé");
  EXPECT_EQ(change("UPPER", "i", "tr_TR"), "İ");
  EXPECT_EQ(change("LOWER", "I", "tr"), "ı");
  EXPECT_EQ(change("UPPER", "i", "de_DE.UTF-8"), "I");
  EXPECT_EQ(change("UPPER", "i", "xx_YY"), "I");
  EXPECT_EQ(change("UPPER", "i", "TR"), "İ");
  EXPECT_EQ(change("UPPER", "ά", "el_GR"), "Ά");
  std::string growing, grown;
  for (int i = 0; i < 50; ++i) growing += "\u0390", grown += "\u0399\u0308\u0301";
  EXPECT_EQ(change("UPPER", growing), grown);
}

/// Tests every byte of ASCII, alone and among others, with and without other characters after it.
TEST_F(StringNormalizer, ChangesTheLettersOfAsciiOnly) {
  const std::string punctuation = "0 long enough for vectors 0 {}[]@`";
  const std::string tails[][2] = {
      {"", ""}, {punctuation, "0 LONG ENOUGH FOR VECTORS 0 {}[]@`"}, {"ß", "SS"}, {"é", "É"}};
  for (int c = 1; c < 128; ++c) {
    const bool is_lower = c >= 'a' && c <= 'z', is_upper = c >= 'A' && c <= 'Z';
    const std::string one(1, char(c)), upper(1, char(is_lower ? c - 32 : c)), lower(1, char(is_upper ? c + 32 : c));
    for (const auto& [tail, upper_tail] : tails) {
      EXPECT_EQ(change("UPPER", one + tail), upper + upper_tail) << c;
      EXPECT_EQ(change("LOWER", one + tail), lower + tail) << c;
    }
  }
}

/// Tests every ASCII character between 'a' and 'b'.
TEST_F(StringSplit, SplitsAtTheWhiteSpaceOfAscii) {
  for (int c = 1; c < 128; ++c) {
    const bool is_white = c == ' ' || (c >= 9 && c <= 13);
    const std::string text = {'a', char(c), 'b'};
    const Tensor y = run_op({"StringSplit", 20}, {Tensor::of(Strings{text})}, 2)[0];
    EXPECT_EQ(y.size(), is_white ? 2 : 1) << c;
  }
}

TEST_F(StringNormalizer, RefusesWhatItCannotDo) {
  const Tensor x = Tensor::of(Strings{kNotUtf8});
  expect_close(normalize({}, x), x);
  expect_error(ErrorKind::kModel, "text must be valid UTF-8", [&] {
    normalize({{"case_change_action", std::string("LOWER")}}, x);
  });
  expect_error(ErrorKind::kModel, "text must be valid UTF-8", [&] { normalize({{"stopwords", Strings{"a"}}}, x); });
  expect_error(ErrorKind::kModel, "text must be valid UTF-8", [&] { normalize({{"stopwords", Strings{"\xc3"}}}, x); });
  expect_error(ErrorKind::kModel, "case_change_action must be NONE, LOWER or UPPER", [&] {
    normalize({{"case_change_action", std::string("TITLE")}}, x);
  });
  expect_error(ErrorKind::kShape, "the first dim of X", [] { normalize({}, Tensor(DType::kString, {2, 2})); });
}

std::vector<Tensor> split(const Attributes& attributes, const Tensor& x) {
  return run_op({"StringSplit", 20, attributes}, {x}, 2);
}

TEST_F(StringSplit, SplitsAtWhiteSpace) {
  const Tensor x = Tensor::of(Strings{" a  b c ", "x", "", "\t\u00a0y\u2003z\n"});
  const auto all = split({}, x);
  expect_close(all[0], Tensor::of(Shape{4, 3}, Strings{"a", "b", "c", "x", "", "", "", "", "", "y", "z", ""}));
  expect_close(all[1], Tensor::of<int64_t>({3, 1, 0, 2}));
  const auto one = split({{"maxsplit", int64_t{1}}, {"delimiter", std::string()}}, x);
  expect_close(one[0], Tensor::of(Shape{4, 2}, Strings{"a", "b c", "x", "", "", "", "y", "z"}));
  expect_close(split({{"maxsplit", int64_t{0}}}, x)[0],
               Tensor::of(Shape{4, 1}, Strings{"a  b c", "x", "", "y\u2003z"}));
  EXPECT_EQ(split({}, Tensor(DType::kString, {0, 2}))[0].shape(), (Shape{0, 2, 0}));
  expect_close(split({}, Tensor::of(Strings{kNotUtf8 + " c\xe2\x80"}))[0],
               Tensor::of(Shape{1, 2}, Strings{kNotUtf8, "c\xe2\x80"}));
}

TEST_F(StringSplit, SplitsAtDelimiters) {
  const Tensor x = Tensor::of(Shape{1, 3}, Strings{"a--b--", "----", ""});
  const auto all = split({{"delimiter", std::string("--")}}, x);
  expect_close(all[0], Tensor::of(Shape{1, 3, 3}, Strings{"a", "b", "", "", "", "", "", "", ""}));
  expect_close(all[1], Tensor::of(Shape{1, 3}, std::vector<int64_t>{3, 3, 1}));
  const auto one = split({{"delimiter", std::string("--")}, {"maxsplit", int64_t{1}}}, x);
  expect_close(one[0], Tensor::of(Shape{1, 3, 2}, Strings{"a", "b--", "", "--", "", ""}));
}

TEST_F(RegexFullMatch, PrintsNothingOfBadPatterns) {
  ::testing::internal::CaptureStderr();
  expect_error(ErrorKind::kModel, "is not an RE2 expression", [] {
    run_op({"RegexFullMatch", 20, {{"pattern", std::string("(")}}}, {Tensor::of(Strings{"a"})});
  });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(RegexFullMatch, MatchesWholeStrings) {
  const auto match = [](const std::string& pattern, const Strings& texts) {
    return run_op({"RegexFullMatch", 20, {{"pattern", pattern}}}, {Tensor::of(texts)})[0];
  };
  expect_close(match("www\\.[a-z]+\\.com", {"www.abc.com", "www.abc.com/", "xwww.a.com"}),
               Tensor::of<bool>({true, false, false}));
  expect_close(match("", {"", "a"}), Tensor::of<bool>({true, false}));
  expect_close(match(".", {"ä", "a\n", kNotUtf8}), Tensor::of<bool>({true, false, false}));
  expect_close(match("(a*)*b", {std::string(20000, 'a')}), Tensor::of<bool>({false}));
  expect_error(ErrorKind::kModel, "pattern '(' is not an RE2 expression: missing )", [&] { match("(", {"a"}); });
  expect_error(ErrorKind::kModel, "is not an RE2 expression", [&] { match("\xff", {"a"}); });
}

TEST(StringConcat, JoinsWithBroadcasting) {
  const Tensor x = Tensor::of(Shape{2, 1}, Strings{"a", "b"}), y = Tensor::of(Strings{"1", "", "ü"});
  expect_close(run_op({"StringConcat", 20}, {x, y})[0],
               Tensor::of(Shape{2, 3}, Strings{"a1", "a", "aü", "b1", "b", "bü"}));
  expect_close(run_op({"StringConcat", 20}, {y, y})[0], Tensor::of(Strings{"11", "", "üü"}));
  expect_close(run_op({"StringConcat", 20}, {Tensor::scalar(std::string("s")), y})[0],
               Tensor::of(Strings{"s1", "s", "sü"}));
  expect_error(ErrorKind::kType, "Y must be string", [&] {
    run_op({"StringConcat", 20}, {y, Tensor::of<float>({1})});
  });
}

}  // namespace
}  // namespace linnet::testing
