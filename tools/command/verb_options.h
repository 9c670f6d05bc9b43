#pragma once

#include "command/options.h"

namespace CLI {
class App;
}

namespace linnet::tool {

inline constexpr const char* kExitCodes =
    "Exit codes: 0 ok, 1 usage, 2 the model does not load, 3 the run fails, 4 a comparison fails,\n"
    "5 a limit or deadline was hit.";

/// Adds the verbs of the command, each with its flags.
void add_verbs(CLI::App& app, Options& options);

}  // namespace linnet::tool
