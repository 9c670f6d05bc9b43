#include "elements/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "linnet/error.h"

namespace linnet {
namespace {

std::string_view without_space(std::string_view text) {
  constexpr const char* kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

bool is_word(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
}

template <class T>
bool parse(std::string_view text, T& value) {
  const bool plus = text.starts_with('+') && !text.starts_with("+-");
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + (plus ? 1 : 0), end, value);
  return error == std::errc() && rest == end;
}

[[noreturn]] void throw_text(const std::string& text) {
  throw Error(ErrorKind::kModel, str("cannot read '", text, "' as a number"));
}

Wide one_or_zero(bool one, WideKind kind) {
  Wide value{};
  if (kind == WideKind::kReal) {
    value.d = one ? 1 : 0;
  } else {
    value.i = one ? 1 : 0;
  }
  return value;
}

template <class T>
std::string_view shortest(T value, NumberText& memory) {
  const auto [end, error] = std::to_chars(memory.data(), memory.data() + memory.size(), value);
  return {memory.data(), size_t(end - memory.data())};
}

}  // namespace

Wide number_from_text(const std::string& whole, WideKind kind) {
  const std::string_view text = without_space(whole);
  if (is_word(text, "true") || is_word(text, "false")) return one_or_zero(text.size() == 4, kind);
  Wide value{};
  if (kind == WideKind::kSigned && parse(text, value.i)) return value;
  if (kind == WideKind::kUnsigned && parse(text, value.u)) return value;
  if (!parse(text, value.d)) throw_text(whole);
  if (kind == WideKind::kReal) return value;
  if (!(std::fabs(value.d) < 0x1p63)) throw_text(whole);
  value.i = static_cast<int64_t>(value.d);
  return value;
}

std::string_view text_of_number(const Wide& value, DType dtype, NumberText& memory) {
  if (dtype == DType::kBool) return value.i ? "True" : "False";
  switch (wide_kind(dtype)) {
    case WideKind::kSigned:
      return shortest(value.i, memory);
    case WideKind::kUnsigned:
      return shortest(value.u, memory);
    default:
      return dtype == DType::kFloat64 ? shortest(value.d, memory) : shortest(static_cast<float>(value.d), memory);
  }
}

}  // namespace linnet
