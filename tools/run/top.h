#pragma once

#include <string>
#include <vector>

#include "linnet/tensor.h"

namespace linnet::tool {

/// The k largest values of each row, one line per row: "0.97 258 Samoyed". A row is a whole tensor of rank 0 or 1,
/// otherwise all elements with the same index of the first axis. The line of `labels` for an index, if any, is printed.
/// Empty for tensors that do not contain numbers.
std::string top_values(const Tensor& tensor, int k, const std::vector<std::string>& labels);

/// The lines of a text file. Throws Error(kIo).
std::vector<std::string> read_labels(const std::string& path);

}  // namespace linnet::tool
