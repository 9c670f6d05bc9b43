#include "kernels/isa.h"

#include <gtest/gtest.h>
#ifdef __aarch64__
#include <sys/auxv.h>
#endif

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "kernels/kernel_table.h"
#include "support/run_op.h"

namespace linnet {
namespace {

/// LINNET_ISA while it lives.
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

/// What Linux says that the processor has; empty where it does not say so in the words of this architecture.
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

/// Linux's word for each feature.
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
  const std::set<std::string> flags = cpuinfo_flags();
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo does not tell";
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

#ifdef __aarch64__
/// The field of four bits at `shift` of an identification register.
uint64_t field(uint64_t value, int shift) { return value >> shift & 15; }

/// Arm Architecture Reference Manual, D19.2. Linux lets programs read these registers.
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
    EXPECT_EQ(kernel_table(Isa::kAuto).isa, entry.isa);
    for (const FeatureSupport& f : entry.features) {
      if (!f.supported) continue;
      const ForcedIsa with(str(entry.name, "+", f.name));
      EXPECT_EQ(kernel_table(Isa::kAuto).isa, Isa(entry.isa.base(), f.feature));
    }
  }
}

TEST(Isa, AnOptionIsNotChangedByTheEnvironment) {
  const ForcedIsa forced("mmx");
  for (const Isa isa : testing::supported_isas()) EXPECT_EQ(resolve_isa(isa), isa);
}

TEST(Isa, UnknownNamesAreErrorsThatListTheKnownOnes) {
  const std::string base(isa_support()[0].name);
  for (const std::string& name : {std::string("mmx"), std::string(), base + "+", base + "+mmx", base + "x",
                                  base + "++vnni", std::string("auto+vnni"), std::string("+vnni")}) {
    EXPECT_TRUE(error_of(name).starts_with(str("instruction set '", name, "' is unknown; known: auto, ", base)))
        << error_of(name);
  }
#ifdef __x86_64__
  EXPECT_NE(error_of("avx2+fp16").find("avx512[+vnni][+bf16][+fp16][+amx_int8][+amx_bf16], avx2[+vnni], baseline"),
            std::string::npos);
#endif
}

TEST(Isa, WhatTheMachineLacksIsAnErrorThatListsWhatItHas) {
  for (const IsaSupport& entry : isa_support()) {
    for (const FeatureSupport& f : entry.features) {
      const std::string name = str(entry.name, "+", f.name);
      if (entry.supported && f.supported) {
        EXPECT_EQ(error_of(name), "no error");
      } else {
        EXPECT_TRUE(error_of(name).starts_with(
            str("this processor does not support instruction set '", name, "'; supported: auto")));
      }
    }
  }
  const Feature stranger = isa_support()[0].isa == Isa::kBaseline ? Feature::kAvxVnni : Feature::kDotprod;
  for (const Isa isa : testing::supported_isas()) EXPECT_THROW(resolve_isa({isa.base(), stranger}), Error);
}

}  // namespace
}  // namespace linnet
