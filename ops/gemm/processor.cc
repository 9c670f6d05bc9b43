#include "gemm/processor.h"

#include <cstring>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace linnet {
namespace {

constexpr uint32_t kExtended = 15;  // the family from which on the extended one is added
constexpr uint32_t kAmxTile = 1u << 24;
constexpr uint64_t kArmLimited = 0x41;

constexpr uint32_t field(uint64_t value, int begin, int bits) { return uint32_t(value >> begin) & ((1u << bits) - 1); }

}  // namespace

/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID.
Processor processor_of_cpuid(const uint32_t (&vendor)[3], uint32_t signature, uint32_t features) {
  char name[sizeof vendor];
  std::memcpy(name, vendor, sizeof name);
  const std::string_view text(name, sizeof name);
  const uint32_t family = field(signature, 8, 4), model = field(signature, 4, 4);
  const bool extended_model = family == 6 || family == kExtended;
  return {text == "AuthenticAMD"   ? Processor::kAmd
          : text == "GenuineIntel" ? Processor::kIntel
                                   : Processor::kUnknown,
          int(family + (family == kExtended ? field(signature, 20, 8) : 0)),
          int(model + (extended_model ? field(signature, 16, 4) << 4 : 0)), (features & kAmxTile) != 0};
}

/// Source: Arm Architecture Reference Manual for A-profile architecture, MIDR_EL1.
Processor processor_of_midr(uint64_t midr) {
  if (field(midr, 24, 8) != kArmLimited) return {};
  return {Processor::kArm, 0, int(field(midr, 4, 12))};
}

Processor this_processor() {
#if defined(__x86_64__)
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx)) return {};
  const uint32_t vendor[3] = {ebx, edx, ecx};
  uint32_t signature = 0;
  if (!__get_cpuid(1, &signature, &ebx, &ecx, &edx)) return {};
  uint32_t features = 0;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &features)) features = 0;
  return processor_of_cpuid(vendor, signature, features);
#elif defined(__aarch64__) && defined(__linux__)
  if (!(getauxval(AT_HWCAP) & HWCAP_CPUID)) return {};  // Linux then emulates the register
  uint64_t midr;
  asm("mrs %0, MIDR_EL1" : "=r"(midr));
  return processor_of_midr(midr);
#else
  return {};
#endif
}

}  // namespace linnet
