#pragma once

#include <span>
#include <string_view>

#include "linnet/export.h"
#include "linnet/options.h"

namespace linnet {

/// The instruction sets that are compiled in, best first, and whether this machine supports them.
struct IsaSupport {
  Isa isa;
  std::string_view name;
  bool supported;
};
LINNET_API std::span<const IsaSupport> isa_support();

LINNET_API std::string_view isa_name(Isa isa);
/// Throws Error(kUnsupported) naming the known ones.
LINNET_API Isa isa_from_name(std::string_view name);

/// The instruction set itself; for kAuto that of LINNET_ISA in the environment where set, else the best that the
/// machine supports. Throws Error(kUnsupported) for one that is unknown, not compiled in, or not supported here.
LINNET_API Isa resolve_isa(Isa isa);

}  // namespace linnet
