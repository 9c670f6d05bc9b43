#include "peak.h"

#include <algorithm>
#include <chrono>

#include "kernels/kernel_table.h"

namespace linnet {

namespace baseline {
double multiply_adds(int64_t rounds);
}
#ifdef LINNET_HAS_ISA_avx2
namespace avx2 {
double multiply_adds(int64_t rounds);
}
#endif
#ifdef LINNET_HAS_ISA_avx512
namespace avx512 {
double multiply_adds(int64_t rounds);
}
#endif

namespace {

double multiply_adds(Isa isa, int64_t rounds) {
#ifdef LINNET_HAS_ISA_avx512
  if (isa.base() == Isa::kAvx512) return avx512::multiply_adds(rounds);
#endif
#ifdef LINNET_HAS_ISA_avx2
  if (isa.base() == Isa::kAvx2) return avx2::multiply_adds(rounds);
#endif
  return baseline::multiply_adds(rounds);
}

double measure() {
  constexpr int64_t kRounds = 1'000'000;
  double best = 0;
  for (int i = 0; i < 20; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const double flops = multiply_adds(kernel_table(Isa::kAuto).isa, kRounds);
    best = std::max(best, flops / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

}  // namespace

double peak_flops() {
  static const double peak = measure();
  return peak;
}

void report_flops(benchmark::State& state, double flops) {
  using benchmark::Counter;
  const double peak = peak_flops();
  state.counters["flops"] = Counter(flops, Counter::kIsIterationInvariantRate);
  state.counters["percent_of_peak"] = Counter(100 * flops / peak, Counter::kIsIterationInvariantRate);
}

}  // namespace linnet
