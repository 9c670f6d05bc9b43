#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "linnet/isa.h"

namespace linnet {

/// The first of the SIMD units that a resolved instruction set can run, where `isas` are what they need, as isa_name()
/// writes it; nullopt: none.
std::optional<size_t> choose_unit(std::span<const std::string_view> isas, Isa resolved);

template <class Family, void (*fill)(Family& kernels)>
void fill_kernels(void* kernels) {
  fill(*static_cast<Family*>(kernels));
}

}  // namespace linnet
