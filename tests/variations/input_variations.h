#pragma once

#include <vector>

#include "case.h"

namespace linnet {

/// The case with each input in turn absent, or as tensor_variations.h and containers without elements or with a varied
/// one have it; with dims that several inputs share changed in all of them, and in the numbers that mean them; with
/// each output alone, and with one input or output more.
std::vector<Case> input_variations(const Case& base);

}  // namespace linnet
