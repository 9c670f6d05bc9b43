#pragma once

#include <vector>

#include "linnet/model.h"
#include "session_options.h"

namespace linnet::ort {

/// Gives inputs the sizes that the options have for their dims' denotations; where such a dim has a symbol, the options
/// get its size. Throws Failure(kInvalidArgument) where that contradicts the model or the options.
void fix_denoted_dims(std::vector<ValueInfo>& inputs, SessionOptions& options);

/// Gives values the sizes that the options have for their dims' symbols.
void fix_named_dims(std::vector<ValueInfo>& values, const SessionOptions& options);

}  // namespace linnet::ort
