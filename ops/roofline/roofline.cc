#include "roofline/roofline.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "kernels/reduce.h"

namespace linnet {
namespace {

// Loops are short, so that many of them are not interrupted.
constexpr int kLoops = 40, kReads = 5;
constexpr double kLoopSeconds = 5e-4;
constexpr int64_t kLeastRead = int64_t{64} << 20, kMostRead = int64_t{256} << 20;

template <class F>
double seconds_of(F&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Returns the time of the fastest of several runs; other processes may disturb the rest.
template <class F>
double least_seconds_of(int runs, F&& f) {
  double least = seconds_of(f);
  for (int i = 1; i < runs; ++i) least = std::min(least, seconds_of(f));
  return least;
}

/// Returns multiply-adds per second, or 0 if the build has no kernels.
template <class Type>
double measure_peak(const GemmKernels<Type>* kernels, Executor& executor) {
  if (!kernels) return 0;
  constexpr int64_t kTrial = 1000;
  const double trial = least_seconds_of(kLoops, [&] { kernels->saturate(kTrial); });
  const auto rounds = int64_t(double(kTrial) * std::max(1.0, kLoopSeconds / std::max(trial, 1e-7)));
  const int workers = executor.workers();
  std::vector<int64_t> done(static_cast<size_t>(workers));
  const double seconds = least_seconds_of(kLoops, [&] {
    executor.parallel_for(workers, [&](int64_t part, int) { done[size_t(part)] = kernels->saturate(rounds); });
  });
  return double(done[0]) * workers / seconds;
}

/// Returns twice the size of the last-level cache, within limits: a virtual machine may report the cache of its host.
int64_t read_bytes() {
  int64_t cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cache = std::max<int64_t>(0, ::sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
  return std::clamp(checked_mul(2, cache), kLeastRead, kMostRead);
}

double measure_memory(const ReduceKernels& kernels, Executor& executor, int64_t bytes) {
  const int64_t parts = executor.workers(), part_size = bytes / int64_t(sizeof(float)) / parts;
  Tensor memory(DType::kFloat32, {parts, part_size});
  std::vector<float> sums(static_cast<size_t>(parts));
  const auto part_of = [&](int64_t part) { return memory.data<float>() + part * part_size; };
  executor.parallel_for(parts, [&](int64_t part, int) { std::fill_n(part_of(part), part_size, 1.0f); });
  const double seconds = least_seconds_of(kReads, [&] {
    executor.parallel_for(parts,
                          [&](int64_t part, int) { sums[size_t(part)] = kernels.sum.row(part_of(part), part_size); });
  });
  return double(parts * part_size) * sizeof(float) / seconds;
}

}  // namespace

double Roofline::least_seconds(const NodeCost& cost) const {
  double seconds = bytes_per_s > 0 ? double(cost.bytes) / bytes_per_s : 0;
  for (const Peak& peak : peaks) {
    if (peak.multiplied != cost.multiplied || peak.multiply_adds_per_s <= 0) continue;
    seconds = std::max(seconds, double(cost.multiply_adds) / peak.multiply_adds_per_s);
  }
  return seconds;
}

Roofline measure_roofline(Isa isa, Executor& executor) {
  Roofline roofline;
  roofline.threads = executor.workers();
  roofline.read_bytes = read_bytes();
  executor.hold([&](int64_t, int) {
    // Memory is first because it takes the longest: threads that have just started may share a processor.
    roofline.bytes_per_s = measure_memory(kernels_for<ReduceKernels>(isa), executor, roofline.read_bytes);
    roofline.peaks[0].multiply_adds_per_s = measure_peak(find_kernels<GemmKernels<GemmF32>>(isa), executor);
    roofline.peaks[1].multiply_adds_per_s = measure_peak(find_kernels<GemmKernels<GemmF64>>(isa), executor);
    const auto* const bytes = find_kernels<GemmKernels<GemmU8>>(isa);
    roofline.peaks[2].multiply_adds_per_s = bytes && bytes->strip && !bytes->narrow
                                                ? measure_peak(bytes, executor)
                                                : measure_peak(find_kernels<GemmKernels<GemmS16>>(isa), executor);
  });
  return roofline;
}

}  // namespace linnet
