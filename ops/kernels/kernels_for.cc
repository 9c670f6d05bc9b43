#include "kernels/kernels_for.h"

#include <map>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "linnet/error.h"
#include "simd_units.h"

namespace linnet {
namespace {

const SimdUnit& unit_for(std::string_view name, Isa resolved) {
  if (const SimdUnit* unit = choose_unit(kSimdUnits, name, resolved)) return *unit;
  throw Error(ErrorKind::kUnsupported, str("this build has no kernels '", name, "'"));
}

const void* known_kernels(std::string_view name, Isa resolved, size_t bytes) {
  using Key = std::pair<std::string_view, Isa>;
  static std::mutex mutex;
  static auto& known = *new std::map<Key, std::unique_ptr<std::byte[]>>;  // never destroyed: models may outlive main()
  const std::lock_guard lock(mutex);
  auto& kernels = known[{name, resolved}];
  if (!kernels) {
    auto filled = std::make_unique<std::byte[]>(bytes);  // of zeros: units leave out what is not fast
    unit_for(name, resolved).fill(filled.get());
    kernels = std::move(filled);
  }
  return kernels.get();
}

}  // namespace

template <class Family>
const Family& kernels_for(Isa isa) {
  static_assert(std::is_trivial_v<Family> && alignof(Family) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  return *static_cast<const Family*>(known_kernels(kUnitOf<Family>, resolve_isa(isa), sizeof(Family)));
}

#define LINNET_FAMILY(unit, Family) template const Family& kernels_for<Family>(Isa isa);
LINNET_FAMILIES
#undef LINNET_FAMILY

std::vector<ChosenKernels> chosen_kernels(Isa isa) {
  const Isa resolved = resolve_isa(isa);
  std::vector<ChosenKernels> chosen;
  for (const SimdUnit& unit : kSimdUnits) {
    if (choose_unit(kSimdUnits, unit.name, resolved) == &unit) chosen.push_back({unit.name, unit.isa});
  }
  return chosen;
}

}  // namespace linnet
