#include "my_ops.h"

using namespace linnet;

/// The entry point that run_model -R and Registry::load_library look for in a library.
LINNET_OPERATOR_LIBRARY(registry) {
  add_my_add(registry);
  add_deform_conv2d(registry);
}

std::optional<Dims> broadcast(const std::optional<Dims>& a, const std::optional<Dims>& b) {
  if (!a || !b) return std::nullopt;
  if (a->size() < b->size()) return broadcast(b, a);
  Dims dims = *a;
  for (size_t d = 1; d <= b->size(); ++d) {
    Dim& dim = dims[dims.size() - d];
    const Dim& other = (*b)[b->size() - d];
    if (certainly_equal(dim, other) || certainly_equal(other, 1)) continue;
    if (dim.known() && other.known() && dim.value() != 1) {
      throw Error(ErrorKind::kShape, str("dims ", dim, " and ", other, " do not broadcast"));
    }
    // A dim that is certainly not 1 determines the result. If both dims may be 1, the result is open.
    if (certainly_equal(dim, 1) || certainly_different(other, 1)) {
      dim = other;
    } else if (!certainly_different(dim, 1)) {
      dim = Dim();
    }
  }
  return dims;
}
