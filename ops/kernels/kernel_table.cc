#include "kernels/kernel_table.h"

#include <map>
#include <mutex>

#include "kernels/implementation.h"

namespace linnet {

/// For each SIMD unit, its struct of kernels and the table's member of that type.
namespace families {
#define LINNET_KERNELS(member, Struct, unit)              \
  struct unit {                                           \
    using Kernels = Struct;                               \
    static constexpr auto kMember = &KernelTable::member; \
    static constexpr std::string_view kName = #member;    \
  };
#include "kernels/kernel_list.inc"
#undef LINNET_KERNELS
}  // namespace families

#define LINNET_SIMD_UNIT(unit, ns, isa)        \
  namespace ns {                               \
  void fill(families::unit::Kernels& kernels); \
  }
#include "simd_units.inc"
#undef LINNET_SIMD_UNIT

namespace {

constexpr Implementation<KernelTable> kImplementations[]{
#define LINNET_SIMD_UNIT(unit, ns, isa) \
  {families::unit::kName, isa, [](KernelTable& table) { ns::fill(table.*families::unit::kMember); }},
#include "simd_units.inc"
#undef LINNET_SIMD_UNIT
};

KernelTable make_table(Isa isa) {
  KernelTable table{};
  table.isa = isa;
  for (const auto& implementation : choose(kImplementations, isa)) implementation.fill(table);
  return table;
}

}  // namespace

const KernelTable& kernel_table(Isa isa) {
  static std::mutex mutex;
  static auto& tables = *new std::map<Isa, KernelTable>;  // never destroyed: models may outlive main()
  const Isa resolved = resolve_isa(isa);
  const std::lock_guard lock(mutex);
  const auto found = tables.find(resolved);
  return found != tables.end() ? found->second : tables.emplace(resolved, make_table(resolved)).first->second;
}

std::vector<ChosenKernels> chosen_kernels(Isa isa) {
  std::vector<ChosenKernels> chosen;
  for (const auto& c : choose(kImplementations, resolve_isa(isa))) chosen.push_back({c.family, c.isa});
  return chosen;
}

}  // namespace linnet
