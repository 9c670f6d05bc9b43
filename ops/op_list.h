#pragma once

#include "linnet/registry.h"

namespace linnet {

// Declares register_<file>(Registry&) for every line of op_list.inc. Each operator file includes this header, so that
// a file whose line is missing does not compile (-Wmissing-declarations).
#define LINNET_OP(file) void register_##file(Registry& registry);
#include "op_list.inc"
#undef LINNET_OP

}  // namespace linnet
