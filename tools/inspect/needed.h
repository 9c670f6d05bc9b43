#pragma once

#include <string>

#include "command/options.h"

namespace linnet::tool {

/// What the models of --needed take of this build, a line each, for the CMake option LINNET_OPERATORS: operators as the
/// models write them, as rewrites make them and as they run, with the dtypes of their inputs and outputs; and the
/// rewrites that changed something. Each model is planned for the inputs that the flags ask for, and run once.
std::string needed_lines(const Options& options);

}  // namespace linnet::tool
