#pragma once

#include "linnet/fact.h"

namespace linnet::testing {

inline const Fact kScalarInt(DType::kInt64, Shape{}), kScalarBool(DType::kBool, Shape{});

}  // namespace linnet::testing
