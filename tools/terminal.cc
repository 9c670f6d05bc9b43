#include "terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace linnet::tool {

bool is_terminal(std::FILE* stream) {
  const char* kind = std::getenv("TERM");
  return isatty(fileno(stream)) == 1 && kind && std::string_view(kind) != "dumb";
}

bool has_colours(std::FILE* stream) {
  const char* unwanted = std::getenv("NO_COLOR");
  return is_terminal(stream) && !(unwanted && *unwanted);
}

std::string failed(const std::string& text) { return has_colours(stdout) ? "\x1b[31m" + text + "\x1b[m" : text; }

}  // namespace linnet::tool
