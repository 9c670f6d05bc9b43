#include "bench/bench_loop.h"

#include <atomic>
#include <exception>
#include <latch>
#include <numeric>
#include <optional>
#include <thread>

#include "bench/allocation_count.h"
#include "bench/bench_states.h"
#include "bench/profile.h"
#include "command/session.h"
#include "report/progress.h"

namespace linnet::tool {
namespace {

constexpr double kDefaultSeconds = 3;
constexpr double kBlockMs = 100;
constexpr std::chrono::milliseconds kPause{20};

/// Decides when the timing ends; shared by all contexts.
class Goal {
 public:
  explicit Goal(const Options& options)
      : iterations_(options.iterations),
        ms_(1e3 * (options.duration_s > 0   ? options.duration_s
                   : options.iterations > 0 ? 0
                                            : kDefaultSeconds)),
        rate_(options.rate) {}

  void start() { clock_ = Stopwatch(); }
  /// Takes one run from the goal and returns its number; nullopt if no runs remain.
  std::optional<int64_t> next() {
    const int64_t run = taken_.fetch_add(1, std::memory_order_relaxed);
    return open(run) ? std::optional(run) : std::nullopt;
  }
  bool open(int64_t taken) const { return taken < std::max<int64_t>(iterations_, 1) || due_ms(taken) < ms_; }
  /// When a run is due: according to the rate, or now if no rate is given.
  double due_ms(int64_t run) const { return rate_ > 0 ? 1e3 * double(run) / rate_ : clock_.ms(); }
  /// The number of runs, of `run_ms` each, in a block; a round has two blocks.
  int64_t block(double run_ms) const {
    const int64_t runs = std::max<int64_t>(1, int64_t(kBlockMs / std::max(run_ms, 1e-3)));
    return iterations_ > 0 ? std::min(runs, iterations_ / 2 + iterations_ % 2) : runs;
  }
  void take(int64_t runs) { taken_.fetch_add(runs, std::memory_order_relaxed); }
  int64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  double fraction() const {
    const double runs = iterations_ > 0 ? double(taken_.load(std::memory_order_relaxed)) / double(iterations_) : 1;
    return std::min(runs, ms_ > 0 ? clock_.ms() / ms_ : 1);
  }
  double elapsed_ms() const { return clock_.ms(); }

 private:
  int64_t iterations_;
  double ms_, rate_;
  std::atomic<int64_t> taken_{0};
  Stopwatch clock_;
};

/// One context and its measurements.
class Lane {
 public:
  Lane(const Model& model, const Options& options, const BenchStates& states, std::shared_ptr<Profiler> profiler)
      : context_(model, context_options(options.model, profiler)), states_(states), profiler_(std::move(profiler)) {
    states.bind(context_);
    constexpr size_t kExpectedRuns = size_t{1} << 16;
    latencies_ms_.reserve(kExpectedRuns);
    runs_.reserve(kExpectedRuns);
  }

  void warm_up(const std::vector<Tensor>& inputs, int64_t runs) {
    for (int64_t i = 0; i < runs; ++i) timed_run(inputs);
  }

  void time(const std::vector<Tensor>& inputs, Goal& goal, Progress* progress) {
    while (const std::optional<int64_t> run = goal.next()) {
      const double due_ms = goal.due_ms(*run);
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(due_ms - goal.elapsed_ms()));
      const double begin_ms = goal.elapsed_ms();
      time_once(inputs);
      latencies_ms_.back() += begin_ms - due_ms;
      runs_.push_back({0, *run, due_ms, begin_ms, latencies_ms_.back()});
      if (progress) progress->update(goal.fraction());
    }
  }

  void time_once(const std::vector<Tensor>& inputs) {
    if (profiler_) profiler_->begin_run();
    const int64_t allocated = allocation_count();
    latencies_ms_.push_back(timed_run(inputs));
    allocations_ += allocation_count() - allocated;
  }

  void add_to(BenchTimes& times) const {
    times.latencies_ms.insert(times.latencies_ms.end(), latencies_ms_.begin(), latencies_ms_.end());
    for (TimedRun run : runs_) {
      run.context = times.contexts;
      times.runs.push_back(run);
    }
    ++times.contexts;
    times.first_run_ms = std::max(times.first_run_ms, first_run_ms_);
    times.allocations += allocations_;
    const MemoryReport memory = context_.memory();
    times.memory.weights_bytes = memory.weights_bytes;
    times.memory.packed_bytes = memory.packed_bytes;
    times.memory.arena_bytes += memory.arena_bytes;
    times.memory.scratch_bytes += memory.scratch_bytes;
  }

 private:
  double timed_run(const std::vector<Tensor>& inputs) {
    const int64_t step = states_ ? step_++ % states_.steps() : 0;
    if (states_ && step == 0) context_.reset_states();
    const Stopwatch run;
    context_.run(states_ ? states_.inputs(step) : inputs);
    const double ms = run.ms();
    if (first_run_ms_ == 0) first_run_ms_ = ms;
    return ms;
  }

  Context context_;
  const BenchStates& states_;
  int64_t step_ = 0;
  std::shared_ptr<Profiler> profiler_;
  std::vector<double> latencies_ms_;
  std::vector<TimedRun> runs_;
  double first_run_ms_ = 0;
  int64_t allocations_ = 0;
};

/// Runs f(lane number) in one thread per lane and rethrows the first exception.
template <class F>
void in_parallel(size_t lanes, F&& f) {
  std::vector<std::exception_ptr> errors(lanes);
  const auto guarded = [&](size_t lane) {
    try {
      f(lane);
    } catch (...) {
      errors[lane] = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;
  for (size_t lane = 1; lane < lanes; ++lane) threads.emplace_back(guarded, lane);
  guarded(0);
  threads.clear();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

template <class F>
void begin_block(F&& untimed_run) {
  std::this_thread::sleep_for(kPause);
  untimed_run();
}

}  // namespace

BenchTimes bench_loop(const Model& model, const std::vector<Tensor>& inputs, const Options& options,
                      const std::vector<std::shared_ptr<Profiler>>& observers) {
  const BenchStates states(model, inputs, options);
  std::vector<Lane> lanes;
  for (int i = 0; i < options.concurrency; ++i) {
    lanes.emplace_back(model, options, states, observers.empty() ? nullptr : observers[size_t(i)]);
  }
  BenchTimes times;
  Progress progress("bench");
  Goal goal(options);
  std::latch warm(std::ptrdiff_t(lanes.size()));
  in_parallel(lanes.size(), [&](size_t i) {
    try {
      lanes[i].warm_up(inputs, options.warmup);
    } catch (...) {
      warm.count_down();
      throw;
    }
    if (i == 0) goal.start();
    warm.arrive_and_wait();
    lanes[i].time(inputs, goal, i == 0 ? &progress : nullptr);
  });
  times.wall_ms = goal.elapsed_ms();
  for (const Lane& lane : lanes) lane.add_to(times);
  return times;
}

BenchTimes bench_in_turns(const Model& model, const std::vector<Tensor>& inputs, const Options& options,
                          const std::shared_ptr<Profiler>& observer, const std::function<void()>& other,
                          std::vector<double>& other_ms) {
  const BenchStates states(model, inputs, options);
  Lane lane(model, options, states, observer);
  const auto other_block = [&](int64_t runs) {
    begin_block(other);
    for (int64_t i = 0; i < runs; ++i) {
      const Stopwatch run;
      other();
      other_ms.push_back(run.ms());
    }
  };
  const auto own_block = [&](int64_t runs) {
    begin_block([&] { lane.warm_up(inputs, 1); });
    for (int64_t i = 0; i < runs; ++i) lane.time_once(inputs);
  };
  lane.warm_up(inputs, options.warmup);
  for (int64_t i = 0; i < options.warmup; ++i) other();
  const Stopwatch pair;
  lane.warm_up(inputs, 1);
  other();
  Goal goal(options);
  const int64_t block = goal.block(pair.ms() / 2);
  Progress progress("bench");
  for (goal.start(); goal.open(goal.taken()); goal.take(2 * block)) {
    own_block(block);
    other_block(2 * block);
    own_block(block);
    progress.update(goal.fraction());
  }
  BenchTimes times;
  lane.add_to(times);
  times.wall_ms = std::accumulate(times.latencies_ms.begin(), times.latencies_ms.end(), 0.0);
  return times;
}

}  // namespace linnet::tool
