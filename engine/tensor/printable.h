#pragma once

#include <string>
#include <string_view>

#include "linnet/error.h"

namespace linnet {

/// Bytes of a message at the most.
inline constexpr size_t kMostMessageBytes = 1024;

/// Text that holds names of models, for terminals and logs: control characters, what changes the direction of writing
/// and bytes that are no UTF-8 become "\x1b".
LINNET_API std::string printable(std::string_view text);

/// The error with a message that is printable, and no longer than kMostMessageBytes: of a longer one the beginning and
/// the end.
Error printable(const Error& error);

}  // namespace linnet
