#pragma once

#include <cstdint>
#include <vector>

namespace linnet::tool {

/// The number of samples that are at least `from` and less than `to`.
struct Bucket {
  double from = 0, to = 0;
  int64_t count = 0;
};

/// Buckets without gaps from the smallest to the largest of positive samples. Their bounds are 1, 2 and 5 times powers
/// of ten.
std::vector<Bucket> histogram(const std::vector<double>& samples);

}  // namespace linnet::tool
