#include "report/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "linnet/error.h"
#include "tensor/printable.h"

namespace linnet::tool {
namespace {

constexpr std::string_view kRed = "\x1b[31m", kNoColour = "\x1b[m";

/// The part at the beginning of the text that stays unchanged.
std::string_view mark_at(std::string_view text, bool colours) {
  for (const std::string_view mark : {std::string_view("\n"), kRed, kNoColour}) {
    if (text.starts_with(mark) && (colours || mark == "\n")) return mark;
  }
  return {};
}

}  // namespace

bool is_terminal(std::FILE* stream) {
  const char* kind = std::getenv("TERM");
  return isatty(fileno(stream)) == 1 && kind && std::string_view(kind) != "dumb";
}

bool has_colours(std::FILE* stream) {
  const char* unwanted = std::getenv("NO_COLOR");
  return is_terminal(stream) && !(unwanted && *unwanted);
}

std::string failed(const std::string& text) { return has_colours(stdout) ? str(kRed, text, kNoColour) : text; }

std::string shown(std::string_view text) {
  const bool colours = has_colours(stdout);
  std::string result;
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    const std::string_view mark = mark_at(text.substr(i), colours);
    if (mark.empty()) {
      ++i;
      continue;
    }
    result.append(printable(text.substr(begin, i - begin))).append(mark);
    begin = i += mark.size();
  }
  return result.append(printable(text.substr(begin)));
}

}  // namespace linnet::tool
