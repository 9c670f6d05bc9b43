#pragma once

#include <string>
#include <string_view>

#include "linnet/error.h"

namespace linnet {

/// The maximum number of bytes in a message.
inline constexpr size_t kMostMessageBytes = 1024;

/// Makes text with names from models safe for terminals and logs. Control characters, characters that change the
/// writing direction and bytes that are not UTF-8 are escaped, as in "\x1b".
LINNET_API std::string printable(std::string_view text);

/// The error with a printable message of at most kMostMessageBytes. Longer messages are cut in the middle.
Error printable(const Error& error);

}  // namespace linnet
