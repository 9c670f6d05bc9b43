#include "shape_mismatch.h"

#include "linnet/error.h"

namespace linnet::ort {
namespace {

constexpr const char* kFix = " Please fix either the inputs/outputs or the model.";

}  // namespace

std::string shape_mismatch(const char* side, const std::string& name, const Fact& wanted, const Shape& shape) {
  const bool becomes_scalar = wanted.has_rank() && wanted.rank() == 0 && shape.elements() == 1;
  if (!wanted.has_rank() || becomes_scalar) return {};
  if (wanted.rank() != shape.rank()) {
    return str("Invalid rank for ", side, ": ", name, " Got: ", shape.rank(), " Expected: ", wanted.rank(), kFix);
  }
  std::string wrong;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!wanted.dim(i).known() || wanted.dim(i).value() == shape[i]) continue;
    wrong += str(" index: ", i, " Got: ", shape[i], " Expected: ", wanted.dim(i).value(), "\n");
  }
  if (wrong.empty()) return {};
  return str("Got invalid dimensions for ", side, ": ", name, " for the following indices\n", wrong, kFix);
}

}  // namespace linnet::ort
