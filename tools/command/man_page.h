#pragma once

#include <string>

namespace CLI {
class App;
}

namespace linnet::tool {

/// The manual page of a command with verbs, in roff, from what its options say of themselves. `environment`: the
/// variables that it reads.
std::string man_page(const CLI::App& app, const std::string& environment);

}  // namespace linnet::tool
