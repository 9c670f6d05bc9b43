#pragma once

#include <vector>

#include "linnet/model.h"
#include "plan/program.h"

namespace linnet {

/// The inputs [begin, end) of a program's graph, or all of them, with the names of dims that they declare.
std::vector<ValueInfo> input_infos(const Program& program, size_t begin, size_t end);
std::vector<ValueInfo> input_infos(const Program& program);
std::vector<ValueInfo> output_infos(const Program& program);

}  // namespace linnet
