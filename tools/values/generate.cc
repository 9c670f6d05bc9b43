#include "values/generate.h"

#include <cmath>
#include <numbers>

#include "values/values.h"

namespace linnet::tool {

Generator::Generator(const std::string& fill, const std::vector<double>& range, uint64_t seed)
    : fill_(fill), range_(range), bits_(seed) {}

Tensor Generator::make(DType dtype, const Shape& shape) {
  Tensor result(dtype, shape);
  if (dtype == DType::kString) return result;
  for (int64_t i = 0; i < result.size(); ++i) set_element(result, i, value(dtype, i));
  return result;
}

double Generator::value(DType dtype, int64_t i) {
  if (fill_ == "zeros") return 0;
  if (fill_ == "ones") return 1;
  if (fill_ == "ramp") return double(i);
  if (!range_.empty()) {
    const double drawn = range_[0] + (range_[1] - range_[0]) * uniform();
    return is_floating(dtype) ? drawn : std::floor(drawn);
  }
  if (is_floating(dtype)) return normal();
  return double(dtype == DType::kBool ? i & 1 : int64_t(bits_() >> 63));
}

double Generator::uniform() { return double(bits_() >> 11) * 0x1p-53; }

// Box and Muller's transform, because std::normal_distribution differs between standard libraries.
double Generator::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace linnet::tool
