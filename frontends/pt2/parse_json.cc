#include "parse_json.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "environment/run_environment.h"
#include "json_string.h"

namespace linnet::pt2 {

namespace {

constexpr size_t kValuesPerCheck = 1024;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a character is ASCII and represents itself in a JSON string.
bool is_plain(char c) { return static_cast<signed char>(c) >= ' ' && c != '"' && c != '\\'; }

/// Parses a text from begin to end. It stops at the first error.
class JsonParser {
 public:
  JsonParser(std::string_view text, std::pmr::memory_resource& memory, CountedMemory& counted)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()), memory_(memory), counted_(counted) {}

  Json parse() {
    const Json value = read_value();
    skip_spaces();
    if (at_ != end_) fail();
    return value;
  }

 private:
  [[noreturn]] void fail() const { throw Error(ErrorKind::kModel, str("no valid JSON at byte ", at_ - begin_ + 1)); }

  char next() const { return at_ != end_ ? *at_ : '\0'; }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    skip_spaces();
    if (!take(c)) fail();
  }
  void skip_spaces() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  std::string_view rest() const { return {at_, size_t(end_ - at_)}; }

  Json read_value() {
    if (++values_ % kValuesPerCheck == 0) check_current();
    skip_spaces();
    switch (next()) {
      case '{':
        return {read_list(open_members_, '}', [&] { return read_member(); })};
      case '[':
        return {read_list(open_values_, ']', [&] { return read_value(); })};
      case '"':
        return {read_string()};
      case 't':
        return read_word("true", {true});
      case 'f':
        return read_word("false", {false});
      case 'n':
        return read_word("null", {nullptr});
      default:
        return read_number();
    }
  }

  Json read_word(std::string_view word, Json value) {
    if (!rest().starts_with(word)) fail();
    at_ += word.size();
    return value;
  }

  Json::Member read_member() {
    skip_spaces();
    if (next() != '"') fail();
    const std::string_view key = read_string();
    expect(':');
    return {key, read_value()};
  }

  /// Reads an array or object. All open ones share a stack, from which each takes its elements when it is complete.
  template <class T, class Read>
  Json::List<T> read_list(std::vector<T>& open, char close, Read&& read) {
    if (++depth_ > kDeepestJson) {
      throw Error(ErrorKind::kLimit, str("lists and objects are nested in more than ", kDeepestJson, " levels"));
    }
    ++at_;
    const size_t before = open.size();
    skip_spaces();
    while (!take(close)) {
      if (open.size() > before) expect(',');
      counted_.add(3 * sizeof(T));  // the stack, which may have grown by half, and the final memory
      const T element = read();
      open.push_back(element);
      skip_spaces();
    }
    --depth_;
    return closed(open, before);
  }

  template <class T>
  Json::List<T> closed(std::vector<T>& open, size_t before) {
    const size_t count = open.size() - before;
    T* const elements = std::pmr::polymorphic_allocator<T>(&memory_).allocate(count);
    std::uninitialized_copy(open.begin() + std::ptrdiff_t(before), open.end(), elements);
    open.resize(before);
    if constexpr (std::is_same_v<T, Json::Member>) check_keys({elements, count});
    return {elements, count};
  }

  void check_keys(const Json::Object& object) {
    if (object.size() < 2) return;
    keys_.clear();
    for (const Json::Member& member : object) keys_.push_back(member.key);
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    if (twice != keys_.end()) throw Error(ErrorKind::kModel, str("an object has the key '", *twice, "' twice"));
  }

  std::string_view read_string() {
    const char* const first = ++at_;
    bool has_escapes = false;
    for (;;) {
      while (at_ != end_ && is_plain(*at_)) ++at_;
      if (next() == '"') break;
      const bool escapes = next() == '\\';
      const size_t bytes = escapes ? 2 : utf8_bytes(rest());
      if (bytes < 2 || bytes > rest().size()) fail();
      has_escapes = has_escapes || escapes;
      at_ += bytes;
    }
    const std::string_view text(first, size_t(at_++ - first));
    return has_escapes ? copied(unescaped(text)) : text;
  }

  std::string_view copied(const std::optional<std::string>& text) {
    if (!text) fail();
    counted_.add(text->size());
    char* const copy = std::pmr::polymorphic_allocator<char>(&memory_).allocate(text->size());
    std::ranges::copy(*text, copy);
    return {copy, text->size()};
  }

  void read_digits() {
    if (!is_digit(next())) fail();
    while (is_digit(next())) ++at_;
  }

  Json read_number() {
    const char* const first = at_;
    take('-');
    if (!take('0')) read_digits();
    const char* const whole = at_;
    if (take('.')) read_digits();
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      read_digits();
    }
    int64_t integer = 0;
    if (at_ == whole && std::from_chars(first, at_, integer).ec == std::errc()) return {integer};
    double number = 0;
    if (std::from_chars(first, at_, number).ec != std::errc()) fail();
    return {number};
  }

  const char *begin_, *at_, *end_;
  std::pmr::memory_resource& memory_;
  CountedMemory& counted_;
  size_t depth_ = 0, values_ = 0;
  std::vector<Json> open_values_;
  std::vector<Json::Member> open_members_;
  std::vector<std::string_view> keys_;
};

}  // namespace

Json parse_json(std::string_view text, std::pmr::memory_resource& memory, CountedMemory& counted) {
  return JsonParser(text, memory, counted).parse();
}

}  // namespace linnet::pt2
