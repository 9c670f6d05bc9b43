#pragma once

#include "linnet/fact.h"

namespace linnet {

/// Whether both facts are the same. Contents of more than a few elements count as equal only if they are at the same
/// address.
bool same_fact(const Fact& a, const Fact& b);

}  // namespace linnet
