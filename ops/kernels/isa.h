#pragma once

#include <span>
#include <string>
#include <string_view>

#include "linnet/export.h"
#include "linnet/isa.h"

namespace linnet {

/// A feature that extends a base set, by its name there: "vnni" is AVX-VNNI with avx2 and AVX512-VNNI with avx512.
struct FeatureSupport {
  std::string_view name;
  Feature feature;
  bool supported;
};

/// A base set that is compiled in, whether this machine supports it, and the features that may extend it.
struct IsaSupport {
  Isa isa;
  std::string_view name;
  bool supported;
  Features needs;  ///< the features that code compiled for it uses
  std::span<const FeatureSupport> features;
};
/// Returns all base sets that are compiled in, best first.
LINNET_API std::span<const IsaSupport> isa_support();

/// Returns the base set and the features, such as "avx512+vnni+bf16".
LINNET_API std::string isa_name(Isa isa);
/// Parses what isa_name() returns. "avx512" has no features; "auto" has all that the machine supports. If the name is
/// unknown, throws Error(kUnsupported) that lists the known ones.
LINNET_API Isa isa_from_name(std::string_view name);

/// Returns the instruction set itself. For kAuto, returns the one in the environment variable LINNET_ISA if it is set,
/// otherwise all that the machine supports. Throws Error(kUnsupported) if the set is unknown, not compiled in or not
/// supported by this machine.
LINNET_API Isa resolve_isa(Isa isa);

/// Returns an instruction set without a feature that extends its base set.
Isa without(Isa isa, Feature feature);

/// Returns all features of a resolved instruction set, including those of its base set.
Features features_of(Isa isa);

}  // namespace linnet
