#include "kernels/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace linnet {
namespace {

/// Bits of XCR0: the registers that the operating system saves.
constexpr uint64_t kAvxState = 0x6, kAvx512State = 0xe6, kAmxState = 0x60000;

constexpr uint32_t bits(auto... positions) { return (uint32_t{0} | ... | (uint32_t{1} << positions)); }

/// Where CPUID reports a feature.
/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID.
struct CpuidBits {
  Feature feature;
  ProcessorReport::Leaf ProcessorReport::*leaf;
  ProcessorReport::Register where;
  uint32_t mask;
  uint64_t state;
};

using Report = ProcessorReport;

constexpr CpuidBits kCpuidBits[]{
    {Feature::kFma, &Report::leaf_1, Report::kEcx, bits(12), kAvxState},
    {Feature::kF16c, &Report::leaf_1, Report::kEcx, bits(29), kAvxState},
    {Feature::kAvx2, &Report::leaf_7, Report::kEbx, bits(5), kAvxState},
    // F, DQ, CD, BW, VL
    {Feature::kAvx512, &Report::leaf_7, Report::kEbx, bits(16, 17, 28, 30, 31), kAvx512State},
    {Feature::kAvx512Vnni, &Report::leaf_7, Report::kEcx, bits(11), kAvx512State},
    {Feature::kAvx512Fp16, &Report::leaf_7, Report::kEdx, bits(23), kAvx512State},
    {Feature::kAmxBf16, &Report::leaf_7, Report::kEdx, bits(24, 22), kAmxState},
    {Feature::kAmxInt8, &Report::leaf_7, Report::kEdx, bits(24, 25), kAmxState},
    {Feature::kAvxVnni, &Report::leaf_7_1, Report::kEax, bits(4), kAvxState},
    {Feature::kAvx512Bf16, &Report::leaf_7_1, Report::kEax, bits(5), kAvx512State},
};

#if defined(__x86_64__)
Report::Leaf cpuid(unsigned leaf, unsigned subleaf) {
  Report::Leaf r{};
  __get_cpuid_count(leaf, subleaf, &r[Report::kEax], &r[Report::kEbx], &r[Report::kEcx], &r[Report::kEdx]);
  return r;
}

uint64_t saved_registers(const Report::Leaf& leaf_1) {
  constexpr uint32_t kOsxsave = bits(27);
  if (!(leaf_1[Report::kEcx] & kOsxsave)) return 0;
  uint32_t low, high;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

/// Requests the tile registers.
/// Source: Linux, Documentation/arch/x86/xstate.rst.
bool ask_for_tiles() {
#if defined(__linux__)
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}
#endif

}  // namespace

Features features_of_report(const ProcessorReport& report) {
  Features features;
  for (const CpuidBits& entry : kCpuidBits) {
    if (((report.*entry.leaf)[entry.where] & entry.mask) != entry.mask) continue;
    if ((report.saved_registers & entry.state) != entry.state) continue;
    if (entry.state == kAmxState && !report.grants_tiles) continue;
    features |= entry.feature;
  }
  return features;
}

#if defined(__x86_64__)

Features detect_features() {
  ProcessorReport report{.leaf_1 = cpuid(1, 0), .leaf_7 = cpuid(7, 0), .leaf_7_1 = cpuid(7, 1)};
  report.saved_registers = saved_registers(report.leaf_1);
  report.grants_tiles = true;
  const Features wanted = features_of_report(report);
  report.grants_tiles = (wanted.contains(Feature::kAmxInt8) || wanted.contains(Feature::kAmxBf16)) && ask_for_tiles();
  return features_of_report(report);
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
