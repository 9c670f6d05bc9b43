#pragma once

#include <string>
#include <string_view>

namespace linnet::pt2 {

/// Returns the last line that a Python stack trace names, such as "model.py:12", or an empty text.
std::string source_line(std::string_view stack_trace);

/// Returns the last path of a module stack "KEY,PATH,TYPE;...", such as "encoder.layers.0"; empty for the outermost
/// module.
std::string innermost_module(std::string_view module_stack);

}  // namespace linnet::pt2
