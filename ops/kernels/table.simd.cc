#include "kernels/kernel_table.h"
#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {

#define LINNET_KERNELS(member, Struct, header) void fill(Struct& kernels);
#include "kernels/kernel_list.inc"
#undef LINNET_KERNELS

void fill_table(KernelTable& table);

void fill_table(KernelTable& table) {
  table.vector_floats = kLanes;
#define LINNET_KERNELS(member, Struct, header) fill(table.member);
#include "kernels/kernel_list.inc"
#undef LINNET_KERNELS
}

}  // namespace linnet::LINNET_SIMD_NS
