#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

#include "kernels/gemm.h"
#include "kernels/kernels_for.h"

namespace linnet {

/// Returns the multiplications and additions per second of vectors in registers, on one core with the active
/// instruction set. This is the upper limit for a product of the type. It is measured once.
template <class Type>
double peak_operations() {
  static const double peak = [] {
    constexpr int64_t kRounds = 200'000;
    double best = 0;
    for (int i = 0; i < 20; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const int64_t multiply_adds = kernels_for<GemmKernels<Type>>(Isa::kAuto).saturate(kRounds);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      best = std::max(best, 2.0 * double(multiply_adds) / seconds.count());
    }
    return best;
  }();
  return peak;
}

/// Reports the rate of a benchmark whose iterations perform so many operations of the type, in absolute terms and
/// relative to the peak.
template <class Type>
void report_operations(benchmark::State& state, double operations) {
  using benchmark::Counter;
  const double peak = peak_operations<Type>();
  state.counters["operations"] = Counter(operations, Counter::kIsIterationInvariantRate);
  state.counters["percent_of_peak"] = Counter(100 * operations / peak, Counter::kIsIterationInvariantRate);
}

}  // namespace linnet
