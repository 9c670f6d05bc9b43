#pragma once

#include <string>

#include "command/options.h"

namespace linnet::tool {

/// The parts of this build that the models of --needed use, one per line, for the CMake option LINNET_OPERATORS:
/// operators as the models contain them, as rewrites make them and as they run, with the dtypes of their inputs and
/// outputs, and the rewrites that changed something. Each model is planned for the inputs that the flags specify, and
/// run once.
std::string needed_lines(const Options& options);

}  // namespace linnet::tool
