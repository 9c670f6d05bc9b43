#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

class Profiler;

/// When a run was due, when it began, since the timing started, and its latency, which counts from when it was due.
struct TimedRun {
  int context = 0;
  int64_t run = 0;  ///< of all contexts
  double due_ms = 0, begin_ms = 0, latency_ms = 0;
};

/// What repeated runs took.
struct BenchTimes {
  std::vector<double> latencies_ms;  ///< of all contexts, each context's in order
  std::vector<TimedRun> runs;        ///< of bench_loop(), as latencies_ms
  double first_run_ms = 0;           ///< planning and packing included
  double wall_ms = 0;
  int contexts = 0;
  int64_t allocations = 0;  ///< calls of operator new within the timed runs
  MemoryReport memory;      ///< arena and scratch of all contexts together
};

/// Runs the model in options.concurrency contexts at a time, after a warm-up: options.iterations times in total, or
/// for options.duration_s, or, where both are given, until both are reached; with states, step by step. With
/// options.rate runs are due at that rate, whether those before have ended or not. `observers`:
/// one per context, or empty.
BenchTimes bench_loop(const Model& model, const std::vector<Tensor>& inputs, const Options& options,
                      const std::vector<std::shared_ptr<Profiler>>& observers);

/// The same with one context, in turns with another engine, whose latencies `other_ms` gets: blocks of about equal time
/// in the order A B B A, so that drift of the machine meets both alike. Each block starts with a pause, in which the
/// other engine's threads fall asleep, and a run that does not count. The number of runs is rounded up to whole rounds.
BenchTimes bench_in_turns(const Model& model, const std::vector<Tensor>& inputs, const Options& options,
                          const std::shared_ptr<Profiler>& observer, const std::function<void()>& other,
                          std::vector<double>& other_ms);

}  // namespace linnet::tool
