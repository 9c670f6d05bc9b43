#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "program.h"

namespace linnet::pt2 {

/// The value of each symbol in an example.
using SampleSizes = std::map<std::string, int64_t>;

/// Returns one example for a program without symbols, else two. The two differ in every symbol, by a large distance if
/// its range allows that, so that rules recognise open sizes. Values are in the symbol's range and, if that allows it,
/// multiples of 24, because programs halve and divide sizes. Throws Error(kUnsupported) if a symbol in use has a range
/// of a single number.
std::vector<SampleSizes> sample_sizes(const Program& program);

}  // namespace linnet::pt2
