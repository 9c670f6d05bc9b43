#pragma once

#include <span>
#include <string>
#include <string_view>

#include "linnet/export.h"
#include "linnet/isa.h"

namespace linnet {

/// A feature that extends a base set, by the name it has there ("vnni" is AVX-VNNI with avx2, AVX512-VNNI with avx512).
struct FeatureSupport {
  std::string_view name;
  Feature feature;
  bool supported;
};

/// A base set that is compiled in, whether this machine supports it, and what may extend it.
struct IsaSupport {
  Isa isa;
  std::string_view name;
  bool supported;
  Features needs;  ///< what code compiled for it uses
  std::span<const FeatureSupport> features;
};
/// All of them, best first.
LINNET_API std::span<const IsaSupport> isa_support();

/// "avx512+vnni+bf16": the base set and the features.
LINNET_API std::string isa_name(Isa isa);
/// What isa_name() writes; "avx512" has no feature, "auto" all that the machine has. Throws Error(kUnsupported) naming
/// the known ones.
LINNET_API Isa isa_from_name(std::string_view name);

/// The instruction set itself; for kAuto that of LINNET_ISA in the environment where set, else all that the machine
/// supports. Throws Error(kUnsupported) for one that is unknown, not compiled in, or not supported here.
LINNET_API Isa resolve_isa(Isa isa);

/// All features of a resolved instruction set, those of its base set included.
Features features_of(Isa isa);

}  // namespace linnet
