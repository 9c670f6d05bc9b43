#pragma once

#include "linnet/fact.h"

namespace linnet {

/// True when both facts say the same. Contents count as different where they lie apart and are more than a few
/// elements.
bool same_fact(const Fact& a, const Fact& b);

}  // namespace linnet
