#include "kernels/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace linnet {

#if defined(__x86_64__)
namespace {

/// Bits of XCR0: the registers that the operating system saves.
constexpr uint64_t kAvxState = 0x6, kAvx512State = 0xe6, kAmxState = 0x60000;

enum Register { kEax, kEbx, kEcx, kEdx };

/// Where cpuid tells of a feature (Intel's Software Developer's Manual, volume 2, CPUID).
struct CpuidBits {
  Feature feature;
  unsigned leaf, subleaf;
  Register where;
  unsigned mask;
  uint64_t state;
};

constexpr unsigned bits(auto... positions) { return (0u | ... | (1u << positions)); }

constexpr CpuidBits kCpuidBits[]{
    {Feature::kFma, 1, 0, kEcx, bits(12), kAvxState},
    {Feature::kF16c, 1, 0, kEcx, bits(29), kAvxState},
    {Feature::kAvx2, 7, 0, kEbx, bits(5), kAvxState},
    {Feature::kAvx512, 7, 0, kEbx, bits(16, 17, 28, 30, 31), kAvx512State},  // F, DQ, CD, BW, VL
    {Feature::kAvx512Vnni, 7, 0, kEcx, bits(11), kAvx512State},
    {Feature::kAvx512Fp16, 7, 0, kEdx, bits(23), kAvx512State},
    {Feature::kAmxBf16, 7, 0, kEdx, bits(24, 22), kAmxState},
    {Feature::kAmxInt8, 7, 0, kEdx, bits(24, 25), kAmxState},
    {Feature::kAvxVnni, 7, 1, kEax, bits(4), kAvxState},
    {Feature::kAvx512Bf16, 7, 1, kEax, bits(5), kAvx512State},
};

/// Zeros for a leaf that the processor lacks.
struct Cpuid {
  Cpuid(unsigned leaf, unsigned subleaf) {
    __get_cpuid_count(leaf, subleaf, &registers[kEax], &registers[kEbx], &registers[kEcx], &registers[kEdx]);
  }
  unsigned registers[4]{};
};

uint64_t saved_registers() {
  constexpr unsigned kOsxsave = bits(27);
  if (!(Cpuid(1, 0).registers[kEcx] & kOsxsave)) return 0;
  uint32_t low, high;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

}  // namespace

Features detect_features() {
  const uint64_t saved = saved_registers();
  Features features;
  for (const CpuidBits& entry : kCpuidBits) {
    const unsigned found = Cpuid(entry.leaf, entry.subleaf).registers[entry.where];
    if ((found & entry.mask) == entry.mask && (saved & entry.state) == entry.state) features |= entry.feature;
  }
  return features;
}

#elif defined(__aarch64__) && defined(__linux__)

Features detect_features() {
  const unsigned long hwcap = getauxval(AT_HWCAP), hwcap2 = getauxval(AT_HWCAP2);
  Features features;
  if (hwcap & HWCAP_ASIMDDP) features |= Feature::kDotprod;
  if (hwcap & HWCAP_ASIMDHP) features |= Feature::kFp16;
  if (hwcap & HWCAP_SVE) features |= Feature::kSve;
  if (hwcap2 & HWCAP2_I8MM) features |= Feature::kI8mm;
  if (hwcap2 & HWCAP2_BF16) features |= Feature::kBf16;
  return features;
}

#else

Features detect_features() { return {}; }

#endif

}  // namespace linnet
