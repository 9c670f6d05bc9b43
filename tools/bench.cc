#include <filesystem>

#include "bench_loop.h"
#include "files.h"
#include "graph/graph.h"
#include "inputs.h"
#include "profile.h"
#include "report.h"
#include "session.h"
#include "statistics.h"
#include "verbs.h"

namespace linnet::tool {
namespace {

struct Bench {
  const Options& options;
  const Model& model;
  double load_ms;
  const BenchTimes& times;
  const Statistics& statistics;

  size_t runs() const { return times.latencies_ms.size(); }
  double throughput() const { return 1e3 * double(runs()) / times.wall_ms; }
  double allocations_per_run() const { return double(times.allocations) / double(runs()); }
};

std::vector<double> percentiles(const Options& options) {
  return options.percentiles.empty() ? std::vector<double>{90, 99} : options.percentiles;
}

std::string text_of(const Bench& b) {
  const std::string name = std::filesystem::path(b.options.model.path).filename().string();
  std::string text = format("model       %s  opset %lld  ", name.c_str(), static_cast<long long>(opset(b.model)));
  const LoadReport& loaded = b.model.load_report();
  text += format("%lld nodes -> %zu after rewrites  weights %s\n", static_cast<long long>(loaded.nodes),
                 b.model.graph().nodes().size(), human_bytes(b.times.memory.weights_bytes).c_str());
  text += format("load        %.1f ms  (parse %.1f, optimise %.1f)  first run %.1f ms\n", b.load_ms,
                 b.load_ms - loaded.optimize_ms, loaded.optimize_ms, b.times.first_run_ms);
  text += "memory      " + describe(b.times.memory) + "\n";
  text += format("isa         %s   threads %d", chosen_isa(b.model).c_str(), thread_count(b.options.model));
  text += b.options.concurrency > 1 ? format("   concurrency %d\n", b.options.concurrency) : "\n";
  const Statistics& s = b.statistics;
  text +=
      format("latency     median %.4g ms | mean %.4g | min %.4g | max %.4g", s.median(), s.mean(), s.min(), s.max());
  for (const double p : percentiles(b.options)) text += format(" | p%g %.4g", p, s.percentile(p));
  text += format(" | stddev %.2g\n", s.stddev());
  text += format("throughput  %.1f inferences/s   %zu iterations in %.2f s\n", b.throughput(), b.runs(),
                 b.times.wall_ms / 1e3);
  return text + format("allocations %.4g per run\n", b.allocations_per_run());
}

Json json_of(const Bench& b) {
  const Statistics& s = b.statistics;
  Json json{{"model", b.options.model.path},
            {"opset", opset(b.model)},
            {"isa", chosen_isa(b.model)},
            {"threads", thread_count(b.options.model)},
            {"iterations", b.runs()},
            {"load_ms", b.load_ms},
            {"median_ms", s.median()},
            {"mean_ms", s.mean()},
            {"min_ms", s.min()},
            {"max_ms", s.max()},
            {"p90_ms", s.percentile(90)},
            {"p99_ms", s.percentile(99)},
            {"stddev_ms", s.stddev()},
            {"throughput_per_s", b.throughput()},
            {"weights_bytes", b.times.memory.weights_bytes},
            {"packed_bytes", b.times.memory.packed_bytes},
            {"arena_bytes", b.times.memory.arena_bytes},
            {"allocations_per_run", b.allocations_per_run()}};
  for (const double p : b.options.percentiles) json[format("p%g_ms", p)] = s.percentile(p);
  return json;
}

void write_raw_times(const std::string& path, const std::vector<double>& latencies_ms) {
  std::string text;
  for (const double ms : latencies_ms) text += format("%.6f\n", ms);
  write_text(path, text);
}

}  // namespace

ExitCode bench_verb(const Options& options) {
  const Stopwatch load;
  const Model model = load_model(options.model);
  const double load_ms = load.ms();
  save_optimized(model, options);
  const std::vector<Tensor> inputs = make_inputs(model, options.input);
  std::vector<std::shared_ptr<Profiler>> profilers;
  if (options.profile_table || !options.profile.empty()) {
    for (int i = 0; i < options.concurrency; ++i) profilers.push_back(std::make_shared<Profiler>());
  }
  const BenchTimes times = bench_loop(model, inputs, options, profilers);
  const Statistics statistics(times.latencies_ms);
  const Bench bench{options, model, load_ms, times, statistics};
  if (!options.raw_times.empty()) write_raw_times(options.raw_times, times.latencies_ms);
  if (!options.profile.empty()) write_text(options.profile, profilers[0]->trace());
  report(text_of(bench) + (options.profile_table ? profilers[0]->table() : ""), json_of(bench), options.json);
  return ExitCode::kOk;
}

}  // namespace linnet::tool
