#pragma once

#include <array>
#include <cstdint>

#include "linnet/isa.h"

namespace linnet {

/// What an x86-64 processor and its operating system say of themselves.
struct ProcessorReport {
  enum Register { kEax, kEbx, kEcx, kEdx };
  using Leaf = std::array<uint32_t, 4>;  ///< by Register; zeros where the processor lacks the leaf

  Leaf leaf_1{}, leaf_7{}, leaf_7_1{};  ///< CPUID's leaves 1, 7 and, of the latter, 1
  uint64_t saved_registers = 0;         ///< XCR0: what the system saves when it changes threads
  bool grants_tiles = false;            ///< whether the process may use the tile registers of AMX
};

/// The features that may be used: what the processor has, the system saves the registers of and the process was
/// granted.
Features features_of_report(const ProcessorReport& report);

/// The features of this machine. Where it has AMX, asks Linux for the tile registers, which each process must do once;
/// from then on sigaltstack() refuses stacks that have no room for them.
Features detect_features();

}  // namespace linnet
