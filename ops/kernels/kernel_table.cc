#include "kernels/kernel_table.h"

#include <array>
#include <cstdlib>
#include <string>

#include "linnet/error.h"

namespace linnet {

#ifdef LINNET_HAS_ISA_avx512
namespace avx512 {
void fill_table(KernelTable& table);
}
#endif
#ifdef LINNET_HAS_ISA_avx2
namespace avx2 {
void fill_table(KernelTable& table);
}
#endif
namespace baseline {
void fill_table(KernelTable& table);
}

namespace {

#ifdef __aarch64__
constexpr std::string_view kBaselineName = "neon";
#else
constexpr std::string_view kBaselineName = "baseline";
#endif

// __builtin_cpu_supports also checks that the operating system saves the registers.
#ifdef LINNET_HAS_ISA_avx512
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#endif
#ifdef LINNET_HAS_ISA_avx2
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}
#endif

std::string known_names() {
  std::string names = "auto";
  for (const IsaSupport& entry : isa_support()) names += str(", ", entry.name);
  return names;
}

KernelTable make_table(Isa isa, void (*fill)(KernelTable&)) {
  KernelTable table{};
  table.isa = isa;
  fill(table);
  return table;
}

const KernelTable& table_of([[maybe_unused]] Isa isa) {
#ifdef LINNET_HAS_ISA_avx512
  if (isa == Isa::kAvx512) {
    static const KernelTable table = make_table(isa, avx512::fill_table);
    return table;
  }
#endif
#ifdef LINNET_HAS_ISA_avx2
  if (isa == Isa::kAvx2) {
    static const KernelTable table = make_table(isa, avx2::fill_table);
    return table;
  }
#endif
  static const KernelTable table = make_table(Isa::kBaseline, baseline::fill_table);
  return table;
}

}  // namespace

std::span<const IsaSupport> isa_support() {
  static const std::array support{
#ifdef LINNET_HAS_ISA_avx512
      IsaSupport{Isa::kAvx512, "avx512", has_avx512()},
#endif
#ifdef LINNET_HAS_ISA_avx2
      IsaSupport{Isa::kAvx2, "avx2", has_avx2()},
#endif
      IsaSupport{Isa::kBaseline, kBaselineName, true},
  };
  return support;
}

std::string_view isa_name(Isa isa) {
  for (const IsaSupport& entry : isa_support()) {
    if (entry.isa == isa) return entry.name;
  }
  return "auto";
}

Isa isa_from_name(std::string_view name) {
  if (name == "auto") return Isa::kAuto;
  for (const IsaSupport& entry : isa_support()) {
    if (entry.name == name) return entry.isa;
  }
  throw Error(ErrorKind::kUnsupported, str("instruction set '", name, "' is unknown; known: ", known_names()));
}

Isa resolve_isa(Isa isa) {
  if (isa == Isa::kAuto) {
    const char* forced = std::getenv("LINNET_ISA");
    if (forced && *forced) isa = isa_from_name(forced);
  }
  for (const IsaSupport& entry : isa_support()) {
    if (isa == Isa::kAuto && entry.supported) return entry.isa;
    if (entry.isa == isa) {
      if (entry.supported) return isa;
      throw Error(ErrorKind::kUnsupported, str("this processor does not support instruction set '", entry.name, "'"));
    }
  }
  throw Error(ErrorKind::kUnsupported, "this build lacks the instruction set asked for");
}

const KernelTable& kernel_table(Isa isa) { return table_of(resolve_isa(isa)); }

}  // namespace linnet
