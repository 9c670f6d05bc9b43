#pragma once

#include <cstdint>

namespace linnet {

/// Which processor a core is.
struct Processor {
  enum Vendor { kUnknown, kAmd, kIntel, kArm };

  Vendor vendor = kUnknown;
  int family = 0;    ///< x86-64: the family with the extended one; ARM: 0
  int model = 0;     ///< x86-64: the model with the extended one; ARM: the part number
  bool amx = false;  ///< whether it has tile registers, whatever model a virtual machine reports
};

/// Returns the processor that CPUID reports. vendor: registers ebx, edx and ecx of leaf 0. signature: eax of leaf 1.
/// features: edx of leaf 7.
Processor processor_of_cpuid(const uint32_t (&vendor)[3], uint32_t signature, uint32_t features);

/// Returns the processor that the register MIDR_EL1 of 64-bit ARM reports.
Processor processor_of_midr(uint64_t midr);

/// Returns the processor of this machine, or Processor() where the system does not report it.
Processor this_processor();

}  // namespace linnet
