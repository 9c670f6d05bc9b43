#pragma once

#include <string>

namespace CLI {
class App;
}

namespace linnet::tool {

/// The manual page, in roff, of a command with verbs, made from the descriptions of its options. `environment`: the
/// environment variables that the command reads.
std::string man_page(const CLI::App& app, const std::string& environment);

}  // namespace linnet::tool
