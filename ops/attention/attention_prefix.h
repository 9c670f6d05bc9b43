#pragma once

#include "linnet/prefix.h"

namespace linnet {

/// Op::prefix() of Attention: reads the rows in use of keys and values, and writes new ones behind those of the past.
bool attention_prefix(Prefix& prefix);

}  // namespace linnet
