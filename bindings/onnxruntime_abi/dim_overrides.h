#pragma once

#include <vector>

#include "linnet/model.h"
#include "session_options.h"

namespace linnet::ort {

/// Gives inputs the sizes that the options have for the denotations of their dims. If such a dim has a symbol, adds its
/// size to the options. Throws Failure(kInvalidArgument) if this contradicts the model or the options.
void fix_denoted_dims(std::vector<ValueInfo>& inputs, SessionOptions& options);

/// Gives values the sizes that the options have for the symbols of their dims.
void fix_named_dims(std::vector<ValueInfo>& values, const SessionOptions& options);

}  // namespace linnet::ort
