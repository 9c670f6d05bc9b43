#pragma once

#include "linnet/dim.h"
#include "linnet/dtype.h"

namespace linnet {

/// A boolean as an integer, for Op::element(): 1, 0, or unknown if neither is certain.
inline Dim truth(bool certainly_true, bool certainly_false) { return certainly_true ? 1 : certainly_false ? 0 : Dim(); }

/// Whether a >= b.
inline Dim at_least(const Dim& a, const Dim& b) {
  return truth(certainly_at_least(a, b), certainly_at_least(b, a + 1));
}

/// Whether a == b.
inline Dim equals(const Dim& a, const Dim& b) { return truth(certainly_equal(a, b), certainly_different(a, b)); }

/// An integer as converted by Cast to the dtype.
inline Dim converted(const Dim& x, DType to) {
  return to == DType::kBool ? truth(certainly_different(x, 0), certainly_equal(x, 0)) : x;
}

}  // namespace linnet
