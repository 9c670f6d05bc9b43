#include "kernels/kernels_for.h"

#include <map>
#include <mutex>
#include <type_traits>

#include "kernels/attention.h"
#include "kernels/binary.h"
#include "kernels/boxes.h"
#include "kernels/byte_pairs.h"
#include "kernels/byte_rows.h"
#include "kernels/convert.h"
#include "kernels/deform.h"
#include "kernels/depthwise.h"
#include "kernels/depthwise_u8.h"
#include "kernels/dots.h"
#include "kernels/gemm.h"
#include "kernels/grouped.h"
#include "kernels/implementation.h"
#include "kernels/line_conv.h"
#include "kernels/nbits.h"
#include "kernels/normalize.h"
#include "kernels/number_cast.h"
#include "kernels/number_reduce.h"
#include "kernels/number_unary.h"
#include "kernels/numbers.h"
#include "kernels/order.h"
#include "kernels/plane_pool.h"
#include "kernels/pool.h"
#include "kernels/quantize.h"
#include "kernels/random.h"
#include "kernels/reduce.h"
#include "kernels/requantize.h"
#include "kernels/rotary.h"
#include "kernels/sample.h"
#include "kernels/softmax.h"
#include "kernels/transpose.h"
#include "kernels/unary.h"
#include "kernels/winograd.h"

namespace linnet {

/// The family that each SIMD unit implements.
namespace families {
#define LINNET_KERNELS(unit, Family) using unit = Family;
#include "kernels/kernel_list.inc"
#undef LINNET_KERNELS
}  // namespace families

#define LINNET_SIMD_UNIT(unit, ns, isa) \
  namespace ns {                        \
  void fill(families::unit& kernels);   \
  }
#include "simd_units.inc"
#undef LINNET_SIMD_UNIT

namespace {

/// Of one family, the best first.
template <class Family>
std::vector<Implementation<Family>> implementations() {
  std::vector<Implementation<Family>> all;
#define LINNET_SIMD_UNIT(unit, ns, isa) \
  if constexpr (std::is_same_v<Family, families::unit>) all.push_back({isa, ns::fill});
#include "simd_units.inc"
#undef LINNET_SIMD_UNIT
  return all;
}

}  // namespace

template <class Family>
const Family& kernels_for(Isa isa) {
  static std::mutex mutex;
  static auto& known = *new std::map<Isa, Family>;  // never destroyed: models may outlive main()
  const Isa resolved = resolve_isa(isa);
  const std::lock_guard lock(mutex);
  const auto found = known.find(resolved);
  if (found != known.end()) return found->second;
  Family kernels{};
  choose(implementations<Family>(), resolved).fill(kernels);
  return known.emplace(resolved, kernels).first->second;
}

#define LINNET_KERNELS(unit, Family) template const Family& kernels_for<Family>(Isa isa);
#include "kernels/kernel_list.inc"
#undef LINNET_KERNELS

std::vector<ChosenKernels> chosen_kernels(Isa isa) {
  const Isa resolved = resolve_isa(isa);
  return {
#define LINNET_KERNELS(unit, Family) {#unit, choose(implementations<Family>(), resolved).isa},
#include "kernels/kernel_list.inc"
#undef LINNET_KERNELS
  };
}

}  // namespace linnet
