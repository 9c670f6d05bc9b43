#include "my_ops.h"

using namespace linnet;

/// What run_model -R and Registry::load_library look for in a library.
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
    if (dim == other || other == Dim(1)) continue;
    if (dim.known() && other.known() && dim != Dim(1)) {
      throw Error(ErrorKind::kShape, str("dims ", dim, " and ", other, " do not broadcast"));
    }
    // A known dim other than 1 decides; two unknown ones leave the result open.
    dim = dim == Dim(1) || other.known() ? other : dim.known() ? dim : Dim();
  }
  return dims;
}
