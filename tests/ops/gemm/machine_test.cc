#include "gemm/machine.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string_view>

#include "gemm/processor.h"
#include "gemm/rows.h"
#include "ops/gemm/recorded_machines.h"

namespace linnet::testing {
namespace {

Processor cpuid_of(std::string_view vendor, uint32_t signature, uint32_t features = 0) {
  uint32_t registers[3];
  std::memcpy(registers, vendor.data(), sizeof registers);
  return processor_of_cpuid(registers, signature, features);
}

/// Signatures are those that the processors report.
TEST(Processors, AreNamedByTheirSignature) {
  for (const auto& [vendor, signature, want] :
       {std::tuple{"AuthenticAMD", 0x00a00f11u, Processor{Processor::kAmd, 0x19, 0x01}},
        std::tuple{"AuthenticAMD", 0x00a10f11u, Processor{Processor::kAmd, 0x19, 0x11}},
        std::tuple{"AuthenticAMD", 0x00b00f21u, Processor{Processor::kAmd, 0x1a, 0x02}},
        std::tuple{"GenuineIntel", 0x000606a6u, Processor{Processor::kIntel, 6, 0x6a}},
        std::tuple{"GenuineIntel", 0x000806f8u, Processor{Processor::kIntel, 6, 0x8f}},
        std::tuple{"HygonGenuine", 0x00900f01u, Processor{Processor::kUnknown, 0x18, 0x00}}}) {
    const Processor got = cpuid_of(vendor, signature);
    EXPECT_EQ(got.vendor, want.vendor) << vendor << signature;
    EXPECT_EQ(got.family, want.family) << vendor << signature;
    EXPECT_EQ(got.model, want.model) << vendor << signature;
  }
  EXPECT_FALSE(cpuid_of("GenuineIntel", 0x000606a6u).amx);
  EXPECT_TRUE(cpuid_of("GenuineIntel", 0x000806f8u, 1u << 24).amx);
  EXPECT_EQ(processor_of_midr(0x411fd401).model, 0xd40);
  EXPECT_EQ(processor_of_midr(0x411fd401).vendor, Processor::kArm);
  EXPECT_EQ(processor_of_midr(0x610f0221).vendor, Processor::kUnknown);
}

TEST(Machine, MultipliesOneOrTwoWideVectorsPerCycle) {
  const auto wide = [](const Processor& processor) { return machine_of(processor, {}).wide.multiplies; };
  EXPECT_EQ(wide({Processor::kAmd, 0x19, 0x61}), 1);       // Zen 4
  EXPECT_EQ(wide({Processor::kAmd, 0x1a, 0x44}), 2);       // Zen 5
  EXPECT_EQ(wide({Processor::kAmd, 0x1a, 0x24}), 1);       // Zen 5, mobile
  EXPECT_EQ(wide({Processor::kIntel, 6, 0x55}), 2);        // Skylake server
  EXPECT_EQ(wide({Processor::kIntel, 6, 0x8c}), 1);        // Tiger Lake
  EXPECT_EQ(wide({Processor::kIntel, 6, 0xa7, true}), 2);  // a server that reports Rocket Lake
  EXPECT_EQ(wide({Processor::kUnknown, 0x18, 0x00}), 2);
  for (const RecordedMachine& recorded : kRecorded) {
    EXPECT_EQ(recorded.machine().narrow.multiplies, recorded.processor.vendor == Processor::kArm ? 4 : 2);
    EXPECT_EQ(recorded.machine().l1_bytes, recorded.caches.l1_bytes);
  }
}

TEST(Machine, RowsShareTheCacheUpToItsWays) {
  constexpr int64_t kPage = 4096;
  const auto share = [](RecordedNumber machine, int64_t distance, int rows) {
    return rows_share_cache(distance, rows, kRecorded[machine].machine());
  };
  for (const int64_t distance : {kPage, 3 * kPage, 16 * kPage, -kPage}) {
    EXPECT_TRUE(share(kZen4, distance, 8)) << distance;
    EXPECT_FALSE(share(kZen4, distance, 9)) << distance;
    EXPECT_TRUE(share(kZen5, distance, 12)) << distance;
    EXPECT_FALSE(share(kZen5, distance, 13)) << distance;
  }
  EXPECT_TRUE(share(kZen4, kPage / 2, 12));
  EXPECT_TRUE(share(kZen4, kPage + 64, 24));
  EXPECT_TRUE(share(kZen4, 0, 24));
  EXPECT_TRUE(share(kNeoverseV1, kPage, 12));
  EXPECT_FALSE(share(kNeoverseV1, 4 * kPage, 6));
}

}  // namespace
}  // namespace linnet::testing
