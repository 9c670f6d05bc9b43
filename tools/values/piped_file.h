#pragma once

#include <string>

#include "linnet/options.h"

namespace linnet::tool {

/// An open file with all that a pipe or device gives, "-" being standard input; -1 for a path of anything else. It can
/// be read as often as needed: the pipe is read when its path is asked for first. Throws Error(kIo), Error(kLimit) for
/// more bytes than a file or the memory may have.
int piped_file(const std::string& path, const Limits& limits);

}  // namespace linnet::tool
