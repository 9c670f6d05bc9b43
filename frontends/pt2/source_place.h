#pragma once

#include <string>
#include <string_view>

namespace linnet::pt2 {

/// "model.py:12", the last line that a stack trace of Python names; empty where it names none.
std::string source_line(std::string_view stack_trace);

/// "encoder.layers.0", the last path that a "KEY,PATH,TYPE;..." of modules names; empty of the outermost module.
std::string innermost_module(std::string_view module_stack);

}  // namespace linnet::pt2
