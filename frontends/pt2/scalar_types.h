#pragma once

#include "json.h"
#include "linnet/dtype.h"

namespace linnet::pt2 {

/// Returns the dtype of a ScalarType of the schema, whose numbers differ from those of c10::ScalarType. Throws
/// Error(kUnsupported) for types that Linnet lacks.
DType scalar_type(JsonRef json);

}  // namespace linnet::pt2
