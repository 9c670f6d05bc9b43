#pragma once

#include <array>
#include <cstdint>

#include "linnet/isa.h"

namespace linnet {

/// What an x86-64 processor and its operating system report about themselves.
struct ProcessorReport {
  enum Register { kEax, kEbx, kEcx, kEdx };
  using Leaf = std::array<uint32_t, 4>;  ///< indexed by Register; zeros where the processor lacks the leaf

  Leaf leaf_1{}, leaf_7{}, leaf_7_1{};  ///< CPUID's leaves 1, 7 and 7.1
  uint64_t saved_registers = 0;         ///< XCR0: the registers that the system saves when it switches threads
  bool grants_tiles = false;            ///< whether the process may use the tile registers of AMX
};

/// Returns the features that may be used: the processor has them, the system saves their registers and the process has
/// permission.
Features features_of_report(const ProcessorReport& report);

/// Returns the features of this machine. Where it has AMX, requests the tile registers from Linux, which each process
/// must do once. From then on sigaltstack() rejects stacks that have no room for them.
Features detect_features();

}  // namespace linnet
