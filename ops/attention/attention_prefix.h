#pragma once

#include "linnet/prefix.h"

namespace linnet {

/// Op::prefix() of Attention: reads the used rows of keys and values, and writes new rows after those of the past.
bool attention_prefix(Prefix& prefix);

}  // namespace linnet
