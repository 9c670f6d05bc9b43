#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

class Profiler;

/// When a run was due and when it began, both since the timing started, and its latency since it was due.
struct TimedRun {
  int context = 0;
  int64_t run = 0;  ///< the number among the runs of all contexts
  double due_ms = 0, begin_ms = 0, latency_ms = 0;
};

/// Measurements of repeated runs.
struct BenchTimes {
  std::vector<double> latencies_ms;  ///< latencies of all contexts; those of each context in order
  std::vector<TimedRun> runs;        ///< the runs of bench_loop(), in the order of latencies_ms
  double first_run_ms = 0;           ///< including planning and packing
  double wall_ms = 0;
  int contexts = 0;
  int64_t allocations = 0;  ///< calls of operator new during the timed runs
  MemoryReport memory;      ///< arena and scratch of all contexts together
};

/// Runs the model in options.concurrency contexts at the same time, after a warm-up: options.iterations times in total,
/// or for options.duration_s, or, if both are given, until both are reached. With states it runs step by step. With
/// options.rate, runs are due at that rate, whether earlier ones have ended or not. `observers`: one per context, or
/// empty.
BenchTimes bench_loop(const Model& model, const std::vector<Tensor>& inputs, const Options& options,
                      const std::vector<std::shared_ptr<Profiler>>& observers);

/// Runs the model in one context, alternating with another engine, whose latencies are stored in `other_ms`. Blocks of
/// about equal time are in the order A B B A, so that drift of the machine affects both equally. Each block starts with
/// a pause, in which the other engine's threads fall asleep, and an untimed run. The number of runs is rounded up to
/// whole rounds.
BenchTimes bench_in_turns(const Model& model, const std::vector<Tensor>& inputs, const Options& options,
                          const std::shared_ptr<Profiler>& observer, const std::function<void()>& other,
                          std::vector<double>& other_ms);

}  // namespace linnet::tool
