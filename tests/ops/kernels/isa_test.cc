#include "kernels/isa.h"

#include <gtest/gtest.h>
#ifdef __aarch64__
#include <sys/auxv.h>
#else
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "kernels/cpu_features.h"
#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Sets LINNET_ISA during its lifetime.
class ForcedIsa {
 public:
  explicit ForcedIsa(const std::string& name) {
    if (const char* before = std::getenv("LINNET_ISA")) before_ = before;
    setenv("LINNET_ISA", name.c_str(), 1);
  }
  ~ForcedIsa() {
    if (before_) {
      setenv("LINNET_ISA", before_->c_str(), 1);
    } else {
      unsetenv("LINNET_ISA");
    }
  }

 private:
  std::optional<std::string> before_;
};

/// Returns the features of the processor as Linux reports them; empty if Linux does not use this architecture's names.
std::set<std::string> cpuinfo_flags() {
#ifdef __x86_64__
  const std::string title = "flags";
#else
  const std::string title = "Features";
#endif
  std::ifstream in("/proc/cpuinfo");
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with(title)) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

/// Whether Linux lets this process use the tile registers of AMX (arch_prctl, ARCH_GET_XCOMP_PERM).
bool may_use_tiles() {
#ifdef __x86_64__
  uint64_t granted = 0;
  return syscall(SYS_arch_prctl, 0x1022, &granted) == 0 && (granted >> 18 & 1);
#else
  return false;
#endif
}

/// Linux's name for each feature.
const std::map<Feature, std::string> kFlags{
    {Feature::kAvxVnni, "avx_vnni"},
    {Feature::kAvx512Vnni, "avx512_vnni"},
    {Feature::kAvx512Bf16, "avx512_bf16"},
    {Feature::kAvx512Fp16, "avx512_fp16"},
    {Feature::kAmxInt8, "amx_int8"},
    {Feature::kAmxBf16, "amx_bf16"},
    {Feature::kDotprod, "asimddp"},
    {Feature::kI8mm, "i8mm"},
    {Feature::kBf16, "bf16"},
    {Feature::kFp16, "asimdhp"},
    {Feature::kSve, "sve"},
};

std::string error_of(std::string_view name) {
  try {
    resolve_isa(isa_from_name(name));
    return "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    return error.message();
  }
}

TEST(Isa, HasTheFeaturesThatLinuxSays) {
  std::set<std::string> flags = cpuinfo_flags();
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo does not tell";
  isa_support();  // Requests the permissions that the process needs.
  if (!may_use_tiles()) flags.erase("amx_int8"), flags.erase("amx_bf16");
  for (const IsaSupport& entry : isa_support()) {
    for (const FeatureSupport& f : entry.features)
      EXPECT_EQ(f.supported, flags.contains(kFlags.at(f.feature))) << f.name;
    bool base = true;
    if (entry.isa == Isa::kAvx2) base = flags.contains("avx2") && flags.contains("fma") && flags.contains("f16c");
    if (entry.isa == Isa::kAvx512) {
      for (const char* part : {"avx512f", "avx512cd", "avx512dq", "avx512bw", "avx512vl"}) base &= flags.contains(part);
    }
    EXPECT_EQ(entry.supported, base) << entry.name;
  }
}

constexpr uint32_t bit(int position) { return uint32_t{1} << position; }

/// Returns the report of Intel's first processor with AMX and a system that grants everything.
/// Source: Intel Software Developer's Manual, volume 2, CPUID
ProcessorReport full_report() {
  ProcessorReport report;
  report.leaf_1[ProcessorReport::kEcx] = bit(12) | bit(27) | bit(29);
  report.leaf_7[ProcessorReport::kEbx] = bit(5) | bit(16) | bit(17) | bit(28) | bit(30) | bit(31);
  report.leaf_7[ProcessorReport::kEcx] = bit(11);
  report.leaf_7[ProcessorReport::kEdx] = bit(22) | bit(23) | bit(24) | bit(25);
  report.leaf_7_1[ProcessorReport::kEax] = bit(4) | bit(5);
  report.saved_registers = 0x600e7;
  report.grants_tiles = true;
  return report;
}

constexpr Features kTiles{Feature::kAmxInt8, Feature::kAmxBf16};
constexpr Features kOfAvx2{Feature::kAvx2, Feature::kFma, Feature::kF16c, Feature::kAvxVnni};
constexpr Features kOfAvx512{Feature::kAvx512, Feature::kAvx512Vnni, Feature::kAvx512Bf16, Feature::kAvx512Fp16};

TEST(ProcessorFeatures, AreThoseThatProcessorAndSystemHave) {
  EXPECT_EQ(features_of_report(full_report()), kOfAvx2 | kOfAvx512 | kTiles);
  EXPECT_EQ(features_of_report({}), Features());
  ProcessorReport report = full_report();
  report.saved_registers = 0xe7;
  EXPECT_EQ(features_of_report(report), kOfAvx2 | kOfAvx512);
  report.saved_registers = 7;
  EXPECT_EQ(features_of_report(report), kOfAvx2);
  report.saved_registers = 0;
  EXPECT_EQ(features_of_report(report), Features());
}

TEST(ProcessorFeatures, OfTilesNeedTheirOwnBitsBothStatesAndAGrant) {
  ProcessorReport report = full_report();
  report.grants_tiles = false;
  EXPECT_EQ(features_of_report(report), kOfAvx2 | kOfAvx512);
  for (const int state : {17, 18}) {
    report = full_report();
    report.saved_registers &= ~uint64_t{bit(state)};
    EXPECT_EQ(features_of_report(report), kOfAvx2 | kOfAvx512) << "without the state of bit " << state;
  }
  const auto without = [](int position) {
    ProcessorReport lacking = full_report();
    lacking.leaf_7[ProcessorReport::kEdx] &= ~bit(position);
    return features_of_report(lacking);
  };
  EXPECT_EQ(without(24), kOfAvx2 | kOfAvx512) << "without tiles";
  EXPECT_EQ(without(25), kOfAvx2 | kOfAvx512 | Feature::kAmxBf16);
  EXPECT_EQ(without(22), kOfAvx2 | kOfAvx512 | Feature::kAmxInt8);
}

#ifdef __aarch64__
/// The field of four bits at `shift` of an identification register.
uint64_t field(uint64_t value, int shift) { return value >> shift & 15; }

/// Linux lets programs read these registers.
/// Source: Arm Architecture Reference Manual, D19.2
TEST(Isa, HasTheFeaturesThatTheProcessorSays) {
  if (!(getauxval(AT_HWCAP) & HWCAP_CPUID)) GTEST_SKIP() << "identification registers cannot be read";
  uint64_t features, instructions, more_instructions;
  asm("mrs %0, ID_AA64PFR0_EL1" : "=r"(features));
  asm("mrs %0, ID_AA64ISAR0_EL1" : "=r"(instructions));
  asm("mrs %0, ID_AA64ISAR1_EL1" : "=r"(more_instructions));
  const std::map<Feature, bool> has{{Feature::kDotprod, field(instructions, 44) > 0},
                                    {Feature::kFp16, field(features, 20) == 1},
                                    {Feature::kSve, field(features, 32) > 0},
                                    {Feature::kI8mm, field(more_instructions, 52) > 0},
                                    {Feature::kBf16, field(more_instructions, 44) > 0}};
  for (const IsaSupport& entry : isa_support()) {
    for (const FeatureSupport& f : entry.features) EXPECT_EQ(f.supported, has.at(f.feature)) << f.name;
  }
}
#endif

TEST(Isa, NameReadsBack) {
  for (const IsaSupport& entry : isa_support()) {
    Features all;
    for (const FeatureSupport& f : entry.features) {
      const Isa one(entry.isa.base(), f.feature);
      EXPECT_EQ(isa_name(one), str(entry.name, "+", f.name));
      EXPECT_EQ(isa_from_name(isa_name(one)), one);
      all |= f.feature;
    }
    const Isa full(entry.isa.base(), all);
    EXPECT_EQ(isa_from_name(isa_name(full)), full);
    EXPECT_EQ(isa_from_name(entry.name), entry.isa) << "a bare name has no feature";
  }
  EXPECT_EQ(isa_from_name(isa_name(Isa::kAuto)), Isa::kAuto);
}

TEST(Isa, AutoIsTheBestBaseSetWithAllThatTheMachineHas) {
  const ForcedIsa forced("");
  const Isa isa = resolve_isa(Isa::kAuto);
  const auto best = std::ranges::find(isa_support(), true, &IsaSupport::supported);
  EXPECT_EQ(isa.base(), best->isa.base());
  for (const FeatureSupport& f : best->features) EXPECT_EQ(isa.features().contains(f.feature), f.supported) << f.name;
}

TEST(Isa, TheEnvironmentForcesFeaturesOffAndOn) {
  for (const IsaSupport& entry : isa_support()) {
    if (!entry.supported) continue;
    const ForcedIsa bare{std::string(entry.name)};
    EXPECT_EQ(resolve_isa(Isa::kAuto), entry.isa);
    for (const FeatureSupport& f : entry.features) {
      if (!f.supported) continue;
      const ForcedIsa with(str(entry.name, "+", f.name));
      EXPECT_EQ(resolve_isa(Isa::kAuto), Isa(entry.isa.base(), f.feature));
    }
  }
}

TEST(Isa, AnOptionIsNotChangedByTheEnvironment) {
  const ForcedIsa forced("mmx");
  for (const Isa isa : supported_isas()) EXPECT_EQ(resolve_isa(isa), isa);
}

TEST(Isa, UnknownNamesAreErrorsThatListTheKnownOnes) {
  const std::string base(isa_support()[0].name);
  for (const std::string& name : {std::string("mmx"), std::string(), base + "+", base + "+mmx", base + "x",
                                  base + "++vnni", std::string("auto+vnni"), std::string("+vnni")}) {
    EXPECT_TRUE(error_of(name).starts_with(str("instruction set '", name, "' is unknown; known: auto, ", base)))
        << error_of(name);
  }
  if (base == "avx512") {
    EXPECT_NE(error_of("avx2+fp16").find("avx512[+vnni][+bf16][+fp16][+amx_int8][+amx_bf16], avx2[+vnni], baseline"),
              std::string::npos);
  }
}

TEST(Isa, WhatTheMachineLacksIsAnErrorThatListsWhatItHas) {
  for (const IsaSupport& entry : isa_support()) {
    for (const FeatureSupport& f : entry.features) {
      const std::string name = str(entry.name, "+", f.name);
      if (entry.supported && f.supported) {
        EXPECT_EQ(error_of(name), "no error");
      } else {
        EXPECT_TRUE(error_of(name).starts_with(
            str("this machine does not support instruction set '", name, "'; supported: auto")));
      }
    }
  }
  const Feature stranger = isa_support()[0].isa == Isa::kBaseline ? Feature::kAvxVnni : Feature::kDotprod;
  for (const Isa isa : supported_isas()) EXPECT_THROW(resolve_isa({isa.base(), stranger}), Error);
}

}  // namespace
}  // namespace linnet::testing
