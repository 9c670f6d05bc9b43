#pragma once

#include <vector>

#include "linnet/model.h"
#include "session_options.h"

namespace linnet::ort {

/// The values with the sizes that the options give to symbols.
std::vector<ValueInfo> with_dims(std::vector<ValueInfo> values, const SessionOptions& options);

}  // namespace linnet::ort
