#pragma once

#include <string_view>
#include <type_traits>
#include <vector>

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
#include "kernels/isa.h"
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
// Headers of the families in kernel_list.inc, in the same order.

namespace linnet {

/// All kernels: of each family the best implementation for an instruction set.
struct KernelTable {
  Isa isa;
#define LINNET_KERNELS(member, Struct, header) Struct member;
#include "kernels/kernel_list.inc"
#undef LINNET_KERNELS

  /// Matrix products of a GemmType.
  template <class Type>
  const GemmKernels<Type>& gemm() const {
#define LINNET_KERNELS(member, Struct, unit) \
  if constexpr (std::is_same_v<Struct, GemmKernels<Type>>) return member;
#include "kernels/kernel_list.inc"
#undef LINNET_KERNELS
  }
};

/// The table of resolve_isa(isa); throws what that throws.
const KernelTable& kernel_table(Isa isa);

/// Which implementation of a family a table has: what that needs, as isa_name() writes it.
struct ChosenKernels {
  std::string_view family, isa;
};
/// Those of kernel_table(isa); throws what that throws.
LINNET_API std::vector<ChosenKernels> chosen_kernels(Isa isa);

}  // namespace linnet
