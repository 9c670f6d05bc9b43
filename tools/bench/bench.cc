#include <cmath>
#include <filesystem>
#include <optional>

#include "bench/bench_loop.h"
#include "bench/histogram.h"
#include "bench/onnx_runtime.h"
#include "bench/profile.h"
#include "bench/statistics.h"
#include "command/model_limits.h"
#include "command/session.h"
#include "command/verbs.h"
#include "compare/differences.h"
#include "graph/graph.h"
#include "report/report.h"
#include "run/model_graph.h"
#include "values/files.h"
#include "values/inputs.h"
#include "values/piped_file.h"

namespace linnet::tool {
namespace {

// A larger absolute tolerance, because two engines round differently where sums are close to zero.
constexpr double kPeerAtol = 1e-4;

/// The results of another engine on the same inputs.
struct Peer {
  std::string name;
  double median_ms = 0, max_difference = 0;
};

struct Bench {
  const Options& options;
  const Model& model;
  const PreparedModel& prepared;
  const BenchTimes& times;
  const Statistics& statistics;
  const std::optional<Peer>& peer;

  double load_ms() const { return prepared.load_ms + prepared.plan_ms; }
  double ratio() const { return peer->median_ms / statistics.median(); }
  size_t runs() const { return times.latencies_ms.size(); }
  double throughput() const { return 1e3 * double(runs()) / times.wall_ms; }
  double allocations_per_run() const { return double(times.allocations) / double(runs()); }
};

std::vector<double> percentiles(const Options& options) {
  return options.percentiles.empty() ? std::vector<double>{90, 99} : options.percentiles;
}

std::string table_of(const Bench& b) {
  const size_t width = std::max<size_t>(12, b.peer->name.size() + 2);
  const auto padded = [&](std::string name) { return name.append(width - name.size(), ' '); };
  return padded("engine") + "median     ratio  max |difference|\n" + padded("Linnet") +
         format("%-9s  %-5.2f\n", human_time(b.statistics.median(), 4).c_str(), 1.0) + padded(b.peer->name) +
         format("%-9s  %-5.2f  %.3g\n", human_time(b.peer->median_ms, 4).c_str(), b.ratio(), b.peer->max_difference);
}

std::string histogram_text(const Bench& b) {
  constexpr double kWidth = 40;
  std::string text =
      "arrivals    " + fixed_number(b.options.rate, 4) + " per second; latency counts from when a run is due\n";
  for (const Bucket& bucket : histogram(b.times.latencies_ms)) {
    const std::string bar(size_t(std::ceil(kWidth * double(bucket.count) / double(b.runs()))), '#');
    text += format("  %8s to %-8s %9lld  ", human_time(bucket.from).c_str(), human_time(bucket.to).c_str(),
                   static_cast<long long>(bucket.count)) +
            bar + "\n";
  }
  return text;
}

Json histogram_json(const Bench& b) {
  Json json = Json::array();
  for (const Bucket& bucket : histogram(b.times.latencies_ms)) {
    json.push_back({{"from_ms", bucket.from}, {"to_ms", bucket.to}, {"count", bucket.count}});
  }
  return json;
}

std::string text_of(const Bench& b) {
  const std::string name = std::filesystem::path(b.options.model.path).filename().string();
  std::string text =
      format("model       %s  opset %lld  ", name.c_str(), static_cast<long long>(b.model.load_report().opset));
  const LoadReport& loaded = b.model.load_report();
  text += format("%lld nodes -> %zu after rewrites  weights %s\n", static_cast<long long>(loaded.nodes),
                 model_graph(b.model).nodes().size(), human_bytes(loaded.weights_bytes).c_str());
  text += "load        " + human_time(b.load_ms()) + "  (parse " + human_time(b.prepared.load_ms - loaded.optimize_ms) +
          ", optimise " + human_time(loaded.optimize_ms) + ", pack " + human_time(b.prepared.plan_ms) +
          ")  first run " + human_time(b.times.first_run_ms) + "\n";
  text += "memory      " + describe(b.times.memory) + "\n";
  text += format("isa         %s   threads %d", chosen_isa(b.model).c_str(), thread_count(b.options.model));
  text += b.options.concurrency > 1 ? format("   concurrency %d\n", b.options.concurrency) : "\n";
  const Statistics& s = b.statistics;
  const auto latency = [&](double ms) { return human_time(ms, 4); };
  text += "latency     median " + latency(s.median()) + " | mean " + latency(s.mean()) + " | min " + latency(s.min()) +
          " | max " + latency(s.max());
  for (const double p : percentiles(b.options)) text += format(" | p%g ", p) + latency(s.percentile(p));
  text += " | stddev " + human_time(s.stddev(), 2) + "\n";
  if (b.options.rate > 0) text += histogram_text(b);
  text += "throughput  " + fixed_number(b.throughput(), 4) + format(" inferences/s   %zu iterations in ", b.runs()) +
          human_time(b.times.wall_ms) + "\n";
  text += "allocations " + fixed_number(b.allocations_per_run(), 4) + " per run\n";
  return b.peer ? text + table_of(b) : text;
}

Json json_of(const Bench& b) {
  const Statistics& s = b.statistics;
  Json json{{"model", b.options.model.path},
            {"opset", b.model.load_report().opset},
            {"isa", chosen_isa(b.model)},
            {"threads", thread_count(b.options.model)},
            {"iterations", b.runs()},
            {"load_ms", b.load_ms()},
            {"median_ms", s.median()},
            {"mean_ms", s.mean()},
            {"min_ms", s.min()},
            {"max_ms", s.max()},
            {"p90_ms", s.percentile(90)},
            {"p99_ms", s.percentile(99)},
            {"stddev_ms", s.stddev()},
            {"throughput_per_s", b.throughput()},
            {"weights_bytes", b.model.load_report().weights_bytes},
            {"packed_bytes", b.times.memory.packed_bytes},
            {"arena_bytes", b.times.memory.arena_bytes},
            {"allocations_per_run", b.allocations_per_run()}};
  if (b.peer) {
    json["ort_median_ms"] = b.peer->median_ms;
    json["ratio"] = b.ratio();
    json["max_difference"] = b.peer->max_difference;
  }
  if (b.options.rate > 0) {
    json["rate_per_s"] = b.options.rate;
    json["histogram"] = histogram_json(b);
  }
  for (const double p : b.options.percentiles) json[format("p%g_ms", p)] = s.percentile(p);
  return json;
}

void write_raw_times(const std::string& path, const std::vector<double>& latencies_ms) {
  std::string text;
  for (const double ms : latencies_ms) text += format("%.6f\n", ms);
  write_text(path, text);
}

void write_csv(const std::string& path, const std::vector<TimedRun>& runs) {
  std::string text = "context,run,due_ms,begin_ms,latency_ms\n";
  for (const TimedRun& r : runs) {
    text += format("%d,%lld,%.6f,%.6f,%.6f\n", r.context, static_cast<long long>(r.run), r.due_ms, r.begin_ms,
                   r.latency_ms);
  }
  write_text(path, text);
}

/// The largest difference from the other engine's outputs. Throws Failure(kDifference) if an output differs.
double compare_outputs(const Model& model, const std::vector<Tensor>& inputs, const std::vector<Tensor>& expected,
                       const Options& options) {
  Context context(model, context_options(options.model));
  const std::span<const Tensor> outputs = context.run(inputs);
  double largest = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = model.outputs()[i].name;
    const Tolerance tolerance = tolerance_for(name, options.accuracy, {.atol = kPeerAtol});
    const Difference difference = compare_tensors(outputs[i], expected[i], tolerance);
    if (!difference.agree()) {
      throw Failure(ExitCode::kDifference,
                    "output '" + name + "' is not ONNX Runtime's, so nothing was timed: " + difference.reason);
    }
    largest = std::max(largest, difference.max_difference);
  }
  return largest;
}

BenchTimes time_against_peer(const Model& model, const std::vector<Tensor>& inputs, const Options& options,
                             const std::shared_ptr<Profiler>& profiler, std::optional<Peer>& peer) {
  OnnxRuntime engine(options.vs_ort, path_to_open(options.model.path, load_limits(options.model)),
                     thread_count(options.model));
  peer.emplace();
  peer->name = "ONNX Runtime " + engine.version();
  peer->max_difference = compare_outputs(model, inputs, engine.first_run(model, inputs), options);
  std::vector<double> peer_ms;
  BenchTimes times = bench_in_turns(
      model, inputs, options, profiler, [&] { engine.run(); }, peer_ms);
  peer->median_ms = Statistics(peer_ms).median();
  return times;
}

}  // namespace

ExitCode bench_verb(const Options& options) {
  const Roofline roofline = profile_roofline(options);
  const PreparedModel prepared = prepare_model(options);
  const Model& model = prepared.model;
  const std::vector<Tensor>& inputs = prepared.inputs;
  std::vector<std::shared_ptr<Profiler>> profilers;
  if (profiles(options)) {
    for (int i = 0; i < options.concurrency; ++i) profilers.push_back(std::make_shared<Profiler>());
  }
  std::optional<Peer> peer;
  const BenchTimes times = options.vs_ort.empty() ? bench_loop(model, inputs, options, profilers)
                                                  : time_against_peer(model, inputs, options,
                                                                      profilers.empty() ? nullptr : profilers[0], peer);
  const Statistics statistics(times.latencies_ms);
  const Bench bench{options, model, prepared, times, statistics, peer};
  if (!options.raw_times.empty()) write_raw_times(options.raw_times, times.latencies_ms);
  if (!options.csv.empty()) write_csv(options.csv, times.runs);
  if (!options.profile.empty()) write_text(options.profile, profilers[0]->trace(roofline));
  report(text_of(bench) + (options.profile_table ? profilers[0]->table(roofline) : ""), json_of(bench), options.json);
  return ExitCode::kOk;
}

}  // namespace linnet::tool
