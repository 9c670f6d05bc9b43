#include "normalization/row_parameter.h"

namespace linnet {

void require_broadcastable_to(const Fact& parameter, const Fact& x, const std::string& what) {
  if (!parameter.has_rank() || !x.has_rank()) return;
  const int missing = x.rank() - parameter.rank();
  bool fits = missing >= 0;
  for (int i = 0; fits && i < parameter.rank(); ++i) {
    fits = broadcasts_to(parameter.dim(i), x.dim(i + missing));
  }
  if (!fits) throw Error(ErrorKind::kShape, str(what, " must broadcast to the input ", x, ", got ", parameter));
}

RowParameter::RowParameter(const Shape& parameter, const Shape& x, int axis) {
  const int missing = x.rank() - parameter.rank();
  is_row_ = parameter.elements() == x.elements(axis, x.rank());
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t dim = i < missing ? 1 : parameter[i - missing];
    const int64_t stride = i < missing ? 0 : parameter.elements(i - missing + 1, parameter.rank());
    is_row_ = is_row_ && (i >= axis ? dim == x[i] : dim == 1);
    walk_.add(x[i], dim == 1 ? 0 : stride);
  }
}

}  // namespace linnet
