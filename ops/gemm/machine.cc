#include "gemm/machine.h"

#include <unistd.h>

#include <algorithm>

namespace linnet {
namespace {

// A virtual machine reports the size of its host's last cache, which it shares with others.
constexpr int64_t kLastCacheInL2 = 8;

// Two halves of a 512-bit vector take turns in units of 256 bits. Lines arrive while they multiply.
constexpr VectorSpeed kHalved{.multiplies = 1, .loads = 1, .line_cycles = 0};

/// Source: AMD, "Software Optimization Guide for the AMD Zen4 Microarchitecture", and the one for Zen 5.
VectorSpeed wide_amd(const Processor& processor) {
  constexpr int kZen4 = 0x19, kZen5 = 0x1a;
  if (processor.family == kZen4) return kHalved;
  if (processor.family != kZen5) return {};
  const int group = processor.model >> 4;
  const bool mobile = group == 2 || group == 6;
  return mobile ? kHalved : VectorSpeed{.line_cycles = 0};
}

/// Clients with AVX-512 join two units of 256 bits into one of 512 and lack the second one of servers. They do not have
/// AMX, but virtual machines on servers that do may report their models.
VectorSpeed wide_intel(const Processor& processor) {
  constexpr int kClients[] = {0x66, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7};  // Cannon, Ice, Tiger, Rocket Lake
  const bool client = processor.family == 6 && !processor.amx && std::ranges::count(kClients, processor.model) > 0;
  return {.multiplies = client ? 1.0 : 2.0};
}

/// Source: Arm, "Neoverse V1 Software Optimization Guide", and those for V2 and V3.
VectorSpeed narrow_arm(const Processor& processor) {
  constexpr int kFourUnits[] = {0xd40, 0xd4f, 0xd84};  // Neoverse V1, V2, V3
  if (std::ranges::count(kFourUnits, processor.model) == 0) return {};
  return {.multiplies = 4, .loads = 3};
}

int64_t or_default(long value, int64_t otherwise) { return value > 0 ? value : otherwise; }

Machine read_caches() {
  Machine machine;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  machine.l1_bytes = or_default(::sysconf(_SC_LEVEL1_DCACHE_SIZE), machine.l1_bytes);
  machine.l1_ways = int(or_default(::sysconf(_SC_LEVEL1_DCACHE_ASSOC), machine.l1_ways));
  machine.l2_bytes = or_default(::sysconf(_SC_LEVEL2_CACHE_SIZE), machine.l2_bytes);
  const int64_t l3 = or_default(::sysconf(_SC_LEVEL3_CACHE_SIZE), machine.last_cache_bytes);
  machine.last_cache_bytes = std::max(machine.l2_bytes, std::min(l3, kLastCacheInL2 * machine.l2_bytes));
#endif
  return machine;
}

}  // namespace

Machine machine_of(const Processor& processor, const Machine& caches) {
  Machine machine = caches;
  machine.wide = machine.narrow = {};
  if (processor.vendor == Processor::kAmd) machine.wide = wide_amd(processor);
  if (processor.vendor == Processor::kIntel) machine.wide = wide_intel(processor);
  if (processor.vendor == Processor::kArm) machine.narrow = narrow_arm(processor);
  return machine;
}

const Machine& this_machine() {
  static const Machine machine = machine_of(this_processor(), read_caches());
  return machine;
}

}  // namespace linnet
