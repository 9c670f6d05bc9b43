#include "source_place.h"

#include <algorithm>

#include "linnet/error.h"

namespace linnet::pt2 {

std::string source_line(std::string_view stack_trace) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ";
  const size_t file = stack_trace.rfind(kFile);
  if (file == std::string_view::npos) return {};
  const std::string_view rest = stack_trace.substr(file + kFile.size());
  const size_t end = rest.find(kLine);
  if (end == std::string_view::npos) return {};
  const std::string_view number = rest.substr(end + kLine.size());
  const size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
  return str(rest.substr(0, end), ':', number.substr(0, digits));
}

// Types contain no comma; keys may. Nodes that PyTorch adds have a placeholder for a path.
std::string innermost_module(std::string_view module_stack) {
  const size_t last = module_stack.rfind(';');
  const std::string_view entry = module_stack.substr(last == std::string_view::npos ? 0 : last + 1);
  const size_t type = entry.rfind(',');
  if (type == std::string_view::npos || type == 0) return {};
  const size_t path = entry.rfind(',', type - 1);
  if (path == std::string_view::npos) return {};
  const std::string_view module = entry.substr(path + 1, type - path - 1);
  return std::string(module.starts_with("_empty_nn_module_stack") ? std::string_view() : module);
}

}  // namespace linnet::pt2
