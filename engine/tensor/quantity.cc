#include "tensor/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace linnet {

namespace {

constexpr int kMostDecimals = 15;

std::string with_decimals(double value, int decimals) {
  // The largest double has 309 digits before its decimals.
  std::array<char, 340> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

void drop_trailing_zeros(std::string& text) {
  if (text.find('.') == std::string::npos) return;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
}

void separate_thousands(std::string& text) {
  const size_t first = text.starts_with('-') ? 1 : 0;
  for (size_t at = std::min(text.find('.'), text.size()); at > first + 3;) text.insert(at -= 3, 1, ',');
}

}  // namespace

std::string fixed_number(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const int whole = int(std::floor(std::log10(std::fabs(value)))) + 1;
  std::string text = with_decimals(value, std::clamp(digits - whole, 0, kMostDecimals));
  drop_trailing_zeros(text);
  separate_thousands(text);
  return text;
}

std::string human_time(double ms, int digits) {
  if (ms >= 1e4) return fixed_number(ms / 1e3, digits) + " s";
  if (ms >= 1 || ms == 0) return fixed_number(ms, digits) + " ms";
  if (ms >= 1e-3) return fixed_number(ms * 1e3, digits) + " us";
  return fixed_number(ms * 1e6, digits) + " ns";
}

std::string human_bytes(int64_t bytes) {
  static constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return with_decimals(value, unit == 0 ? 0 : 1) + ' ' + kUnits[unit];
}

}  // namespace linnet
