#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "program.h"

namespace linnet::pt2 {

/// The value of each symbol in an example.
using SampleSizes = std::map<std::string, int64_t>;

/// One example for a program without symbols, two in which every symbol has another value otherwise, far from the first
/// where its range allows that: rules see by them which sizes are open. Values are in the symbol's range and, where
/// that allows it, multiples of 24, since programs halve and split sizes. Throws Error(kUnsupported) where a range
/// holds one number only but the symbol is used.
std::vector<SampleSizes> sample_sizes(const Program& program);

}  // namespace linnet::pt2
