#include "kernels/kernels_for.h"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>

#include "linnet/error.h"
#include "simd_units.h"

namespace linnet {
namespace {

/// The SIMD units of a family.
struct UnitList {
  std::string_view name;
  std::span<const std::string_view> isas;
  std::span<void (*const)(void*)> fills;
};

#ifdef LINNET_OPERATORS
constexpr const char* kLeftOut =
    ", which none of the operators and dtypes of LINNET_OPERATORS=" LINNET_OPERATORS " needs";
#else
constexpr const char* kLeftOut = "";
#endif

/// The families that were requested. They are never destroyed, as models may outlive main().
class KnownKernels {
 public:
  static KnownKernels& get() {
    static auto& known = *new KnownKernels;
    return known;
  }

  /// Returns the kernels, or nullptr where no unit is built.
  const void* find(const UnitList& units, Isa resolved, size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (const auto known = kernels_.find({units.name, resolved}); known != kernels_.end()) return known->second.get();
    const auto best = choose_unit(units.isas, resolved);
    if (!best) return nullptr;
    auto kernels = std::make_unique<std::byte[]>(bytes);  // zeros: units leave out what is not fast
    units.fills[*best](kernels.get());
    return kernels_.emplace(Key{units.name, resolved}, std::move(kernels)).first->second.get();
  }

  std::vector<std::string_view> names() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string_view> names;
    for (const auto& [key, kernels] : kernels_) {
      if (names.empty() || names.back() != key.first) names.push_back(key.first);
    }
    return names;
  }

 private:
  using Key = std::pair<std::string_view, Isa>;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<std::byte[]>> kernels_;
};

}  // namespace

template <class Family>
const Family* find_kernels(Isa isa) {
  static_assert(std::is_trivial_v<Family> && alignof(Family) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  using Units = SimdUnits<Family>;
  return static_cast<const Family*>(
      KnownKernels::get().find({Units::kName, Units::kIsas, Units::kFills}, resolve_isa(isa), sizeof(Family)));
}

template <class Family>
const Family& kernels_for(Isa isa) {
  if (const Family* kernels = find_kernels<Family>(isa)) return *kernels;
  throw Error(ErrorKind::kUnsupported, str("this build has no kernels '", SimdUnits<Family>::kName, "'", kLeftOut));
}

#define LINNET_FAMILY(unit, Family)                     \
  template const Family* find_kernels<Family>(Isa isa); \
  template const Family& kernels_for<Family>(Isa isa);
LINNET_FAMILIES
#undef LINNET_FAMILY

std::vector<ChosenKernels> chosen_kernels(Isa isa) {
  const Isa resolved = resolve_isa(isa);
  std::vector<ChosenKernels> chosen;
  for (const auto& [family, isas] : kFamilies) {
    if (const auto best = choose_unit(isas, resolved)) chosen.push_back({family, isas[*best]});
  }
  return chosen;
}

std::vector<std::string_view> used_kernels() { return KnownKernels::get().names(); }

}  // namespace linnet
