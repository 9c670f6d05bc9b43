#include "gemm/machine.h"

#include <unistd.h>

#include <algorithm>

namespace linnet {
namespace {

// A virtual machine reports the size of its host's last cache, which it shares with others.
constexpr int64_t kLastCacheInL2 = 8;

int64_t or_default(long bytes, int64_t otherwise) { return bytes > 0 ? bytes : otherwise; }

Machine read_machine() {
  Machine machine;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  machine.l1_bytes = or_default(::sysconf(_SC_LEVEL1_DCACHE_SIZE), machine.l1_bytes);
  machine.l2_bytes = or_default(::sysconf(_SC_LEVEL2_CACHE_SIZE), machine.l2_bytes);
  const int64_t l3 = or_default(::sysconf(_SC_LEVEL3_CACHE_SIZE), machine.last_cache_bytes);
  machine.last_cache_bytes = std::max(machine.l2_bytes, std::min(l3, kLastCacheInL2 * machine.l2_bytes));
#endif
  return machine;
}

}  // namespace

const Machine& this_machine() {
  static const Machine machine = read_machine();
  return machine;
}

}  // namespace linnet
