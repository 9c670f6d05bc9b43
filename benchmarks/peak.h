#pragma once

#include <benchmark/benchmark.h>

namespace linnet {

/// Floating-point operations per second of independent vector multiply-adds in registers, on one core with the
/// instruction set in use: the most that a kernel can reach. Measured once.
double peak_flops();

/// Reports the rate of a benchmark whose iterations do `flops` operations each, absolute and relative to the peak.
void report_flops(benchmark::State& state, double flops);

}  // namespace linnet
