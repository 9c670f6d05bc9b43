#pragma once

#include <string>

#include "linnet/options.h"

namespace linnet::tool {

/// An open file that contains everything read from a pipe or device, where "-" is standard input; -1 for any other
/// path. It can be read repeatedly: the pipe is read when its path is first requested. Throws Error(kIo), or
/// Error(kLimit) for more bytes than a file or the memory may have.
int piped_file(const std::string& path, const Limits& limits);

/// A path by which another library can open the model: that of piped_file() where there is one, else `path`.
std::string path_to_open(const std::string& path, const Limits& limits);

}  // namespace linnet::tool
