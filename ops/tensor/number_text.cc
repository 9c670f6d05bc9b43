#include "tensor/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "linnet/error.h"

namespace linnet {
namespace {

template <class T>
bool parse(const std::string& text, T& value) {
  const bool plus = text.starts_with('+') && !text.starts_with("+-");
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + (plus ? 1 : 0), end, value);
  return error == std::errc() && rest == end;
}

[[noreturn]] void throw_text(const std::string& text) {
  throw Error(ErrorKind::kModel, str("cannot read '", text, "' as a number"));
}

template <class T>
std::string shortest(T value) {
  std::array<char, 64> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end);
}

}  // namespace

Wide number_from_text(const std::string& text, WideKind kind) {
  Wide value{};
  if (kind == WideKind::kSigned && parse(text, value.i)) return value;
  if (kind == WideKind::kUnsigned && parse(text, value.u)) return value;
  if (!parse(text, value.d)) throw_text(text);
  if (kind == WideKind::kReal) return value;
  if (!(std::fabs(value.d) < 0x1p63)) throw_text(text);
  value.i = static_cast<int64_t>(value.d);
  return value;
}

std::string text_of_number(const Wide& value, DType dtype) {
  if (dtype == DType::kBool) return value.i ? "True" : "False";
  switch (wide_kind(dtype)) {
    case WideKind::kSigned:
      return std::to_string(value.i);
    case WideKind::kUnsigned:
      return std::to_string(value.u);
    default:
      return dtype == DType::kFloat64 ? shortest(value.d) : shortest(static_cast<float>(value.d));
  }
}

}  // namespace linnet
