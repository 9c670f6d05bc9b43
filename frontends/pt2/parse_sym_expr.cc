#include <cctype>
#include <charconv>
#include <utility>

#include "linnet/error.h"
#include "sym_expr.h"

namespace linnet::pt2 {

namespace {

constexpr int kDeepestExpr = 200;

/// Parses one expression from left to right:
/// expr = integer | name | name '(' [argument {',' argument}] ')' | '(' [argument {',' argument}] ')'
/// argument = expr | quoted text | name '=' argument
class ExprParser {
 public:
  explicit ExprParser(std::string_view text) : text_(text) {}

  SymExpr parse() {
    SymExpr expr = parse_expr(0);
    if (at_ < text_.size()) fail("more than one expression");
    return expr;
  }

 private:
  /// The contents of a pair of brackets.
  struct Arguments {
    std::vector<SymExpr> exprs;
    std::string text;
  };

  SymExpr parse_expr(int depth) {
    if (depth > kDeepestExpr) fail("nested too deeply", ErrorKind::kLimit);
    skip_spaces();
    if (is_number()) return parse_number();
    std::string head = parse_name();
    if (head.empty() && peek() != '(') fail("no expression");
    if (head.empty()) head = "Tuple";
    if (peek() != '(') return SymExpr::call(std::move(head), {});
    Arguments arguments = parse_arguments(depth);
    return make(std::move(head), std::move(arguments));
  }

  SymExpr make(std::string head, Arguments arguments) {
    if (head == "Symbol" || head == "Dummy" || head == "Wild") {
      if (arguments.text.empty() || !arguments.exprs.empty()) fail("a symbol without a name");
      return SymExpr::symbol(std::move(arguments.text));
    }
    const bool whole = head == "Integer" && arguments.exprs.size() == 1 && arguments.text.empty();
    if (whole) return std::move(arguments.exprs[0]);
    return SymExpr::call(std::move(head), std::move(arguments.exprs), std::move(arguments.text));
  }

  Arguments parse_arguments(int depth) {
    Arguments arguments;
    ++at_;
    skip_spaces();
    while (peek() != ')') {
      parse_argument(depth, arguments);
      skip_spaces();
      if (peek() == ',') {
        ++at_;
      } else if (peek() != ')') {
        fail("expected ',' or ')'");
      }
      skip_spaces();
    }
    ++at_;
    return arguments;
  }

  void parse_argument(int depth, Arguments& arguments) {
    if (peek() == '\'' || peek() == '"') {
      arguments.text = parse_quoted();
    } else if (is_assumption()) {
      skip_assumption(depth);
    } else {
      arguments.exprs.push_back(parse_expr(depth + 1));
    }
  }

  /// Whether an assumption such as "positive=True" follows, which does not affect the value.
  bool is_assumption() const {
    size_t at = at_;
    while (at < text_.size() && is_name_char(text_[at])) ++at;
    return at > at_ && at < text_.size() && text_[at] == '=';
  }
  void skip_assumption(int depth) {
    parse_name();
    ++at_;
    Arguments ignored;
    if (is_assumption()) fail("two names for one argument");
    parse_argument(depth, ignored);
  }

  SymExpr parse_number() {
    int64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::invalid_argument) fail("no number");
    at_ += size_t(end - begin);
    // The size fits no memory, so the number is only marked as too large.
    if (error == std::errc::result_out_of_range) return SymExpr::call("LargeInteger", {}, std::string(begin, end));
    if (peek() == '.') fail("a number that is not whole");
    return {value};
  }

  std::string parse_quoted() {
    const char quote = text_[at_];
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a text without its end");
    std::string quoted(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return quoted;
  }

  std::string parse_name() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_name_char(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  }
  bool is_number() const { return is_digit(peek()) || peek() == '-'; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (peek() == ' ') ++at_;
  }

  [[noreturn]] void fail(const char* what, ErrorKind kind = ErrorKind::kModel) const {
    constexpr size_t kShown = 80;
    throw Error(kind, str("expression '", text_.substr(0, kShown), text_.size() > kShown ? "..." : "", "', byte ", at_,
                          ": ", what));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

SymExpr parse_sym_expr(std::string_view text) { return ExprParser(text).parse(); }

}  // namespace linnet::pt2
