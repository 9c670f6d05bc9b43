#pragma once

#include <string>
#include <vector>

#include "linnet/tensor.h"

namespace linnet::tool {

/// The k largest values of each row, one line per row: "0.97 258 Samoyed". A row is all of a tensor of rank 0 or 1,
/// else what belongs to one index of the first axis. Where `labels` has a line for an index it is printed.
/// Empty for tensors that hold no numbers.
std::string top_values(const Tensor& tensor, int k, const std::vector<std::string>& labels);

/// The lines of a text file. Throws Error(kIo).
std::vector<std::string> read_labels(const std::string& path);

}  // namespace linnet::tool
