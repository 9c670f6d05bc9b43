#pragma once

#include <vector>

#include "case.h"

namespace linnet {

/// Returns the case with the following variations:
///  - each input in turn absent, or varied as in tensor_variations.h; containers without elements or with a varied one
///  - dims that several inputs share changed in all of them, and in the numbers that represent them
///  - each output alone, and one more input or output
std::vector<Case> input_variations(const Case& base);

}  // namespace linnet
