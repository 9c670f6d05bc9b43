#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "linnet/isa.h"

namespace linnet {

/// Returns the index of the first SIMD unit that a resolved instruction set can run, or nullopt. isas: the instruction
/// sets that the units need, in the form of isa_name().
std::optional<size_t> choose_unit(std::span<const std::string_view> isas, Isa resolved);

template <class Family, void (*fill)(Family& kernels)>
void fill_kernels(void* kernels) {
  fill(*static_cast<Family*>(kernels));
}

}  // namespace linnet
