#include "run/top.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

#include "values/files.h"
#include "values/values.h"

namespace linnet::tool {
namespace {

/// The key by which rows are sorted. NaN comes last.
double rank_key(const Tensor& tensor, int64_t i) {
  const double value = element(tensor, i);
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
}

std::string top_of_row(const Tensor& tensor, int64_t begin, int64_t size, int k,
                       const std::vector<std::string>& labels) {
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto last = order.begin() + std::min<int64_t>(k, size);
  std::partial_sort(order.begin(), last, order.end(), [&](int64_t a, int64_t b) {
    const double x = rank_key(tensor, begin + a), y = rank_key(tensor, begin + b);
    return x > y || (x == y && a < b);
  });
  std::string text;
  for (auto it = order.begin(); it != last; ++it) {
    text += "    " + print_element(tensor, begin + *it) + "  " + std::to_string(*it);
    if (size_t(*it) < labels.size()) text += "  " + labels[size_t(*it)];
    text += "\n";
  }
  return text;
}

}  // namespace

std::string top_values(const Tensor& tensor, int k, const std::vector<std::string>& labels) {
  if (!is_number(tensor.dtype()) || tensor.size() == 0) return {};
  const int64_t rows = tensor.rank() >= 2 ? tensor.dim(0) : 1;
  const int64_t size = tensor.size() / rows;
  std::string text;
  for (int64_t row = 0; row < rows; ++row) {
    text += "  top " + std::to_string(std::min<int64_t>(k, size)) + (rows > 1 ? str(" of row ", row) : "") + "\n";
    text += top_of_row(tensor, row * size, size, k, labels);
  }
  return text;
}

std::vector<std::string> read_labels(const std::string& path) {
  const CountedVector<std::byte> bytes = read_file(path);
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::vector<std::string> labels;
  for (std::string label; std::getline(in, label);) {
    if (label.ends_with('\r')) label.pop_back();
    labels.push_back(label);
  }
  return labels;
}

}  // namespace linnet::tool
